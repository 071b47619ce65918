/** Tells a post that was found on its platform from others that Carillon has sent there. */
import { statement } from '../../entities/statement.ts';
import type { AnyPlatform, Published } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { untilDatabaseAnswers } from '../until-database-answers.ts';
import { SEND_TIMES } from './send-times.ts';

/** Names a post for its parts. */
export interface PostOfPart {
  readonly postId: string;
  readonly connectionId: string;
}

// Each mode has its part of the index of sent posts.
const findOther = statement('find another post with an id of its platform', {
  parameters: { postId: 'uuid', connectionId: 'uuid', platformPostId: 'text', since: 'timestamptz' },
  result: { found: 'int' },
  sql: ({ postId, connectionId, platformPostId, since }) => `
    select 1 as found from posts
    where connection_id = ${connectionId} and mode in ('live', 'test') and sent_at > ${since}
      and platform_post_id = ${platformPostId} and id <> ${postId}
    limit 1`,
});

// Connections of several accounts and profiles have one address, and the platform lists what went to it.
const findOtherAtHandle = statement('find another post to the handle of a connection with an id of its platform', {
  parameters: { postId: 'uuid', connectionId: 'uuid', platformPostId: 'text', since: 'timestamptz' },
  result: { found: 'int' },
  sql: ({ postId, connectionId, platformPostId, since }) => `
    select 1 as found from connections own
    join connections c on c.platform_id = own.platform_id and c.handle = own.handle
    cross join lateral (
      select from posts p where p.connection_id = c.id and p.mode in ('live', 'test') and p.sent_at > ${since}
        and p.platform_post_id = ${platformPostId} and p.id <> ${postId}
      limit 1) other
    where own.id = ${connectionId}
    limit 1`,
});

/** Longer before the start of a part than searches of platforms begin, because the clocks may differ. */
const BEFORE_START_MS = 600_000;

/** A part, and where it goes. */
interface SearchedPart {
  readonly platform: AnyPlatform;
  readonly of: PostOfPart;
}

/**
 * The post of a part in what its platform shows. Of two that say the same, a platform may show the other one, and know the part by
 * another id.
 *
 * @param startedAt when the call began that it is about
 * @returns null when it shows another post, and nothing proves that the part is there
 */
export async function ownOf(
  context: Context,
  searched: SearchedPart,
  shown: Published,
  startedAt: Date,
): Promise<Published | null> {
  // One that shows no posts gives each its own id.
  if (searched.platform.readBack === undefined) return shown;
  if (!(await isAnotherPost(context, searched, shown, startedAt))) return shown;
  return shown.provenId === undefined ? null : { platformPostId: shown.provenId, url: null };
}

/** Whether it is known to be another post of the connection, or to its handle where several connections have the same. */
async function isAnotherPost(
  context: Context,
  { platform, of }: SearchedPart,
  { platformPostId }: Published,
  startedAt: Date,
): Promise<boolean> {
  const since = new Date(startedAt.getTime() - BEFORE_START_MS);
  const { queries } = context.db;
  const other = { ...of, platformPostId, since };
  const find = () =>
    platform.repeatsAccounts === true ? findOtherAtHandle(queries, other) : findOther(queries, other);
  return (await untilDatabaseAnswers(context, SEND_TIMES.leaseMs, find)).length > 0;
}
