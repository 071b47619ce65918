/** Tells a post that was found on its platform from others that Carillon has sent there. */
import { statement } from '../../entities/statement.ts';
import type { AnyPlatform, Published } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { REACHED } from '../stats/read-stats.ts';
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

// Their connections are for one account of the install at the platform, which lists the messages of all of them.
const findOtherOfInstall = statement('find another post of the install with an id of its platform', {
  parameters: { postId: 'uuid', platformId: 'text', platformPostId: 'text', since: 'timestamptz' },
  result: { found: 'int' },
  sql: ({ postId, platformId, platformPostId, since }) => `
    select 1 as found from posts
    where ${REACHED} and sent_at > ${since}
      and platform_id = ${platformId} and platform_post_id = ${platformPostId} and id <> ${postId}
    limit 1`,
});

/** Longer before the start of a part than searches of platforms begin, because the clocks may differ. */
const BEFORE_START_MS = 600_000;

/**
 * Whether what was found on a platform is known to be another post of the connection, or of the install where connections share
 * an account.
 *
 * @param startedAt when the call began that the search is about
 */
export async function isAnotherPost(
  context: Context,
  { platform, of }: { readonly platform: AnyPlatform; readonly of: PostOfPart },
  { platformPostId }: Published,
  startedAt: Date,
): Promise<boolean> {
  const since = new Date(startedAt.getTime() - BEFORE_START_MS);
  const { queries } = context.db;
  const other = { ...of, platformId: platform.id, platformPostId, since };
  const find = () =>
    platform.repeatsAccounts === true ? findOtherOfInstall(queries, other) : findOther(queries, other);
  return (await untilDatabaseAnswers(context, SEND_TIMES.leaseMs, find)).length > 0;
}
