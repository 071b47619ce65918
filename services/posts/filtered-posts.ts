/** The filters of a list of posts as SQL, with the posts that match in the order of the list. */
import { MAX, NIL } from 'uuid';
import type { PostStatus } from '../../entities/post.ts';
import type { PlatformId } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import { earliestId, ID_SLACK_MS } from '../ids.ts';
import { type Equal, equality, OF_ACCOUNT, reachablePosts } from './reachable-posts.ts';

export interface PostFilter {
  readonly status?: PostStatus | undefined;
  readonly profileId?: string | undefined;
  /** Tags; a post must have all of them. */
  readonly tag?: readonly string[] | undefined;
  /**
   * Id of a connection, or a slug. A slug matches every connection of the account that has it, including deleted ones.
   */
  readonly connection?: string | undefined;
  readonly platform?: PlatformId | undefined;
  /** Accepted at this instant or later. */
  readonly from?: Date | undefined;
  /** Accepted before this instant. */
  readonly until?: Date | undefined;
  /** Id of a post: the page starts with the posts older than it. */
  readonly cursor?: string | undefined;
}

/**
 * Selects the `id` of each post that an index has of one filter, newest first, as SQL: of several connections, at most `count` of each.
 *
 * @param newest SQL of an id that none is newer than
 */
export type FilterIndex = (count: number, newest?: string) => string;

/** SQL with its parameters. */
export interface FilteredPosts {
  /** What to select at most `limit` of the newest matching posts from, as `posts`; the query sorts and limits it too. */
  newest(limit: number): string;
  /**
   * What to sort `newest` by, newest first. With the account and the only filter in it, PostgreSQL follows the index that the posts are
   * found by (docs/decisions/0126-order-lists-by-their-owner-too.md).
   */
  readonly order: string;
  /**
   * The index of each tag, of the connections unless they are {@link NAMED_MAX too many}, and of each other filter and limit of the caller's
   * reach: also of posts too old.
   */
  readonly indexes: readonly FilterIndex[];
  /** How many filters and limits there are. */
  readonly count: number;
  /** Whether an id is not of a post that was accepted too early, by the filters. */
  isRecent(id: string): string;
  /** Whether a row of `posts` matches every filter. */
  condition(): string;
  readonly parameters: unknown[];
  /** Adds a parameter, and gives its placeholder. */
  of(value: unknown): string;
}

/**
 * Most connections whose indexes are read beside that of a tag or profile. Every customer of an integrator may have a connection of one
 * slug, and as many posts are read of each.
 */
export const NAMED_MAX = 20;

/** @param connections ids of connections to filter by; null for any */
export function filteredPosts(
  caller: Caller,
  { status, profileId, platform, from, until, cursor, tag = [] }: PostFilter,
  connections: readonly string[] | null,
): FilteredPosts {
  const { equal, parameters } = reachablePosts(caller);
  const of = (value: unknown) => `$${parameters.push(value)}`;
  const ids: IdBounds = { from: [], before: [] };
  if (status !== undefined) equal.push({ column: 'status', value: of(status) });
  if (profileId !== undefined) equal.push({ column: 'profile_id', value: of(profileId) });
  if (platform !== undefined) equal.push({ column: 'platform_id', value: of(platform) });
  if (from !== undefined) ids.from.push(of(earliestId(new Date(Math.max(from.getTime() - ID_SLACK_MS, 0)))));
  if (until !== undefined) ids.before.push(of(earliestId(new Date(until.getTime() + ID_SLACK_MS))));
  if (cursor !== undefined) ids.before.push(of(cursor));
  const tags = tag.map(of);
  const tagged = tags.length === 0 ? [] : [`tags @> array[${tags.join(', ')}]::text[]`];
  const bounds = (id: string) => boundsOf(id, ids);
  // Not every query has these parameters, and PostgreSQL refuses one that a query does not use.
  const accepted = () => [
    ...(from === undefined ? [] : [`created_at >= ${of(from)}`]),
    ...(until === undefined ? [] : [`created_at < ${of(until)}`]),
  ];
  const named = () => `${of(connections)}::uuid[]`;
  const amongNamed = () => (connections === null ? [] : [`connection_id = any(${named()})`]);
  const isByOwner = tags.length > 0 || equal.some(({ column }) => column === 'profile_id');
  const isAlongNamed = connections !== null && !(isByOwner && connections.length > NAMED_MAX);
  const conditions = () => all([OF_ACCOUNT], equal.map(equality), accepted(), amongNamed(), tagged);
  const [single, ...others] = equal;
  const only = single !== undefined && others.length + tags.length === 0 && !isAlongNamed ? single : null;
  const newest = (limit: number) => {
    const [first] = tags;
    if (first !== undefined) {
      // `offset 0` stops the planner from scanning all posts instead. It prefers that scan because it cannot know that a tag is on old
      // posts only.
      const found = `select * from posts where id = t.post_id and ${conditions()} offset 0`;
      return `(select account_id, post_id from ${tagsOf(first, bounds('post_id'))}) t cross join lateral (${found}) posts`;
    }
    if (only !== null) return `posts where ${all([OF_ACCOUNT], accepted(), amongNamed(), rangeOf(only, ids))}`;
    if (!isAlongNamed) return `posts where ${all([conditions()], bounds('id'))}`;
    // Selects the newest rows of each connection along its own index.
    const where = all(['connection_id = c.id'], [conditions()], bounds('id'));
    return `unnest(${named()}) as c(id) cross join lateral (select * from posts where ${where} order by id desc limit ${of(limit)}) posts`;
  };
  const columns = tags.length > 0 ? ['t.account_id', 't.post_id'] : ['posts.account_id', 'posts.id'];
  if (only !== null) columns.splice(1, 0, `posts.${only.column}`);
  const order = columns.map((column) => `${column} desc`).join(', ');
  const condition = () => all([conditions()], bounds('id'));
  // A range of two columns does not end at the first id that is too old: all older ones in the index would be read.
  const newer = { ...ids, from: [] };
  const indexes = [
    ...tags.map((one) => ofTag(one, newer)),
    ...(isAlongNamed ? [ofConnections(named, newer)] : []),
    ...equal.map((one) => ofColumn(one, newer)),
  ];
  const isRecent = (id: string) => all(boundsOf(id, { ...ids, before: [] }), ['true']);
  const count = tags.length + equal.length + (connections === null ? 0 : 1);
  return { newest, order, indexes, count, isRecent, condition, parameters, of };
}

function all(...lists: readonly (readonly string[])[]): string {
  return lists.flat().join(' and ');
}

/** Placeholders of ids: of the oldest that may match, and of those that only older ones match. */
interface IdBounds {
  readonly from: string[];
  readonly before: string[];
}

function boundsOf(id: string, { from, before }: IdBounds, newest?: string): string[] {
  return [
    ...from.map((bound) => `${id} >= ${bound}::uuid`),
    ...before.map((bound) => `${id} < ${bound}::uuid`),
    ...(newest === undefined ? [] : [`${id} <= ${newest}::uuid`]),
  ];
}

/**
 * The same as an equality and bounds of ids, as one range. Only the index of this column has its order. After an equality PostgreSQL may
 * read all posts of the account instead, if it knows that most of them match, and pass over any number of newer ones that do not.
 */
function rangeOf({ column, value }: Equal, { from, before }: IdBounds, newest?: string): string[] {
  // Of two ranges, PostgreSQL would begin at either.
  const first = `greatest(${[...from, `'${NIL}'`].map((bound) => `${bound}::uuid`).join(', ')})`;
  const end = `least(${[...before, `'${MAX}'`].map((bound) => `${bound}::uuid`).join(', ')})`;
  // The newest is before the end.
  const last = newest === undefined ? `< (${value}, ${end})` : `<= (${value}, ${newest}::uuid)`;
  return [`(${column}, id) >= (${value}, ${first})`, `(${column}, id) ${last}`];
}

/** The rows of a tag in the account. */
function tagsOf(tag: string, bounds: readonly string[]): string {
  return `post_tags where ${all([OF_ACCOUNT, `tag = ${tag}`], bounds)}`;
}

function ofTag(tag: string, ids: IdBounds): FilterIndex {
  return (_, newest) => {
    const found = tagsOf(tag, boundsOf('post_id', ids, newest));
    return `select post_id as id from ${found} order by account_id desc, post_id desc`;
  };
}

function ofColumn(equal: Equal, ids: IdBounds): FilterIndex {
  return (_, newest) => {
    const where = all([OF_ACCOUNT], rangeOf(equal, ids, newest));
    return `select id from posts where ${where} order by account_id desc, ${equal.column} desc, id desc`;
  };
}

/** @param named SQL of the ids of connections */
function ofConnections(named: () => string, ids: IdBounds): FilterIndex {
  return (count, newest) => {
    const where = all(['connection_id = c.id'], boundsOf('id', ids, newest));
    const ofEach = `select id from posts where ${where} order by id desc limit ${count}`;
    const own = `select id from connections where id = any(${named()}) and ${OF_ACCOUNT}`;
    return `select p.id from (${own}) c cross join lateral (${ofEach}) p order by p.id desc`;
  };
}
