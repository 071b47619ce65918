/**
 * Decides whether the posts of a calendar are read along every connection or along the index of a tag or a profile, by how
 * many posts each way would read (docs/decisions/0079-read-the-calendar-along-each-connection.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { ownerOfList } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import { acceptedAt } from '../ids.ts';
import {
  type CalendarRowFilter,
  type CalendarWindow,
  literal,
  type NarrowIndex,
  outer,
  unseen,
} from './calendar-rows.ts';
import { acceptedFor } from './long-waits.ts';

/** Posts of a tag or a profile that take less time to read than all posts of a busy month. */
const FEW = 20_000;

/** Each look counts up to this many posts of a tag or a profile. */
const LOOKS = [500, 5_000, FEW];
export const LONGEST_LOOK = LOOKS.length - 1;

/** As many posts are read along the connections in the time that one along the index of a tag or a profile takes. */
const POSTS_PER_NARROW_POST = 2;

export interface CalendarPlan {
  /** The index that has few posts of the range; null while none is known, and the connections are read. */
  readonly narrow: NarrowIndex | null;
  /** How close to each other posts were accepted; null when nothing is known. */
  readonly apart: PostsApart | null;
  /** A window with more posts than this, of all filters, deserves a longer look; null when there is none. */
  readonly postsMax: number | null;
}

/** Milliseconds from one post to the next, on average. */
interface PostsApart {
  /** Of the rarest tag or profile of the filter. */
  readonly matchMs: number;
  /** Of all posts of the account. */
  readonly anyMs: number;
}

const EVERY_CONNECTION: CalendarPlan = { narrow: null, apart: null, postsMax: null };

/** @param look 0 for the shortest, up to {@link LONGEST_LOOK} */
export async function planCalendar(
  em: SqlEntityManager,
  caller: Caller,
  filter: CalendarRowFilter,
  range: Pick<CalendarWindow, 'from' | 'until'>,
  look: number,
): Promise<CalendarPlan> {
  // The connections that the filter names are few.
  if (filter.connections !== null) return EVERY_CONNECTION;
  const profileId = filter.profileId ?? caller.profileId;
  const indexes = [...filter.tag.map((tag) => ({ tag })), ...(profileId === null ? [] : [{ profileId }])];
  if (indexes.length === 0) return EVERY_CONNECTION;
  const count = LOOKS[look] ?? FEW;
  const apart: PostsApart[] = [];
  for (const narrow of indexes) {
    const found = await lookAt(em, caller, narrow, { ...acceptedFor(range), count });
    if (found === null) return { ...EVERY_CONNECTION, narrow };
    apart.push(found);
  }
  const rarest = apart.reduce((one, other) => (other.matchMs > one.matchMs ? other : one));
  return { narrow: null, apart: rarest, postsMax: count < FEW ? POSTS_PER_NARROW_POST * count : null };
}

interface Look {
  /** Least id. */
  readonly first: string;
  /** Not included. */
  readonly end: string;
  readonly count: number;
}

/** Null when the index has at most `count` posts. */
async function lookAt(
  em: SqlEntityManager,
  { accountId }: Caller,
  narrow: NarrowIndex,
  { first, end, count }: Look,
): Promise<PostsApart | null> {
  const ofAccount = () =>
    tables(em)
      .selectFrom('posts')
      .select('id')
      .where('account_id', '=', ownerOfList(accountId))
      .where('id', '>=', unseen(first, 'uuid'))
      .where('id', '<', unseen(end, 'uuid'))
      .orderBy('account_id')
      .orderBy('id')
      .limit(sql.lit(1));
  const ofTag = (tag: string) =>
    tables(em)
      .selectFrom('post_tags')
      .select('post_id as id')
      .where('account_id', '=', ownerOfList(accountId))
      .where('tag', '=', tag)
      .where('post_id', '>=', unseen(first, 'uuid'))
      .where('post_id', '<', unseen(end, 'uuid'))
      .orderBy('account_id')
      .orderBy('post_id')
      .limit(sql.lit(1));
  const after = (posts: number) =>
    'tag' in narrow
      ? ofTag(narrow.tag).offset(sql.lit(posts))
      : ofAccount().where('profile_id', '=', narrow.profileId).offset(sql.lit(posts));
  const matches = tables(em).selectNoFrom([after(0).as('match'), after(count).as('lastMatch')]);
  const found = await tables(em)
    // Without the offset, each use of a column would count again.
    .selectFrom(matches.offset(sql.lit(0)).as('m'))
    .select(['match', 'lastMatch'])
    .select((of) => {
      const ifMany = (posts: ReturnType<typeof ofAccount>) =>
        of.case().when('lastMatch', 'is not', null).then(posts).end();
      // An account has more posts than one tag or profile of it.
      return [ifMany(ofAccount()).as('any'), ifMany(ofAccount().offset(sql.lit(count))).as('lastAny')];
    })
    .executeTakeFirstOrThrow();
  if (found.lastMatch === null) return null;
  return { matchMs: apartMs(found.match, found.lastMatch, count), anyMs: apartMs(found.any, found.lastAny, count) };
}

/** At least 1, for posts that were accepted at once. */
function apartMs(first: string | null, last: string | null, count: number): number {
  if (first === null || last === null) return 1;
  return Math.max((acceptedAt(last) - acceptedAt(first)) / count, 1);
}

/** Whether the account has more posts in a window of this length than the plan allows, if they come as regularly as before. */
export function hasMorePostsOnAverage({ apart, postsMax }: CalendarPlan, lengthMs: number): boolean {
  return apart !== null && postsMax !== null && lengthMs > postsMax * apart.anyMs;
}

/**
 * Whether the connections along which a filter is read have more posts in a window than the plan allows, counting also those that
 * do not match. Reads indexes only.
 */
export async function hasMorePosts(
  em: SqlEntityManager,
  { accountId }: Caller,
  { platform }: CalendarRowFilter,
  { postsMax }: CalendarPlan,
  { from, until }: Pick<CalendarWindow, 'from' | 'until'>,
): Promise<boolean> {
  if (postsMax === null) return false;
  const posts = (time: 'p.sent_at' | 'p.scheduled_for') =>
    tables(em)
      .selectFrom('posts as p')
      .select('p.connection_id')
      .where('p.connection_id', '=', outer.ref('c.id'))
      .where(time, '>=', from.toISOString())
      .where(time, '<', until.toISOString());
  const sent = (mode: 'live' | 'test') => posts('p.sent_at').where('p.mode', '=', mode);
  const due = (status: 'scheduled' | 'failed') => posts('p.scheduled_for').where('p.status', '=', literal(status));
  const ofEach = sent('live').unionAll(sent('test')).unionAll(due('scheduled')).unionAll(due('failed'));
  const next = await tables(em)
    .selectFrom('connections as c')
    .innerJoinLateral(ofEach.as('f'), (join) => join.onTrue())
    .select('c.id')
    .where('c.account_id', '=', accountId)
    .$if(platform !== undefined, (connections) => connections.where('c.platform_id', '=', platform as string))
    .offset(postsMax)
    .limit(1)
    .executeTakeFirst();
  return next !== undefined;
}
