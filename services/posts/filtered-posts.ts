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

/** SQL with its parameters. */
export interface FilteredPosts {
  /** What to select at most `limit` of the newest matching posts from, as `posts`; the query sorts and limits it too. */
  newest(limit: number): string;
  /**
   * What to sort `newest` by, newest first. With the account and the only filter in it, PostgreSQL follows the index that the posts are
   * found by (docs/decisions/0126-order-lists-by-their-owner-too.md).
   */
  readonly order: string;
  /** Whether a row of `posts` matches every filter. */
  condition(): string;
  readonly parameters: unknown[];
  /** Adds a parameter, and gives its placeholder. */
  of(value: unknown): string;
}

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
  const accepted: string[] = [];
  if (from !== undefined) {
    accepted.push(`created_at >= ${of(from)}`);
    ids.from.push(of(earliestId(new Date(Math.max(from.getTime() - ID_SLACK_MS, 0)))));
  }
  if (until !== undefined) {
    accepted.push(`created_at < ${of(until)}`);
    ids.before.push(of(earliestId(new Date(until.getTime() + ID_SLACK_MS))));
  }
  if (cursor !== undefined) ids.before.push(of(cursor));
  const named = connections === null ? null : `${of(connections)}::uuid[]`;
  const ofConnections = named === null ? [] : [`connection_id = any(${named})`];
  const tags = tag.map(of);
  const bounds = (id: string) => [
    ...ids.from.map((bound) => `${id} >= ${bound}::uuid`),
    ...ids.before.map((bound) => `${id} < ${bound}::uuid`),
  ];
  const all = (...lists: readonly (readonly string[])[]) => lists.flat().join(' and ');
  const conditions = [OF_ACCOUNT, ...equal.map(equality), ...accepted];
  const [single, ...others] = equal;
  const only = single !== undefined && others.length + tags.length === 0 && named === null ? single : null;
  const newest = (limit: number) => {
    if (tags.length > 0) {
      const found = `select * from posts where id = t.post_id and ${all(conditions, ofConnections)} offset 0`;
      return `(${postsTagged(tags, bounds('post_id'))}) t cross join lateral (${found}) posts`;
    }
    if (only !== null) return `posts where ${all([OF_ACCOUNT], accepted, rangeOf(only, ids))}`;
    if (named === null) return `posts where ${all(conditions, bounds('id'))}`;
    // Selects the newest rows of each connection along its own index.
    const where = all(['connection_id = c.id'], conditions, bounds('id'));
    return `unnest(${named}) as c(id) cross join lateral (select * from posts where ${where} order by id desc limit ${of(limit)}) posts`;
  };
  const tagged = tags.length === 0 ? [] : [`tags @> array[${tags.join(', ')}]::text[]`];
  const columns = tags.length > 0 ? ['t.account_id', 't.post_id'] : ['posts.account_id', 'posts.id'];
  if (only !== null) columns.splice(1, 0, `posts.${only.column}`);
  const order = columns.map((column) => `${column} desc`).join(', ');
  return { newest, order, condition: () => all(conditions, bounds('id'), ofConnections, tagged), parameters, of };
}

/** Placeholders of ids: of the oldest that may match, and of those that only older ones match. */
interface IdBounds {
  readonly from: string[];
  readonly before: string[];
}

/**
 * The same as an equality and bounds of ids, as one range. Only the index of this column has its order. After an equality PostgreSQL may
 * read all posts of the account instead, if it knows that most of them match, and pass over any number of newer ones that do not.
 */
function rangeOf({ column, value }: Equal, { from, before }: IdBounds): string[] {
  // Of two ranges, PostgreSQL would begin at either.
  const first = `greatest(${[...from, `'${NIL}'`].map((bound) => `${bound}::uuid`).join(', ')})`;
  const end = `least(${[...before, `'${MAX}'`].map((bound) => `${bound}::uuid`).join(', ')})`;
  return [`(${column}, id) >= (${value}, ${first})`, `(${column}, id) < (${value}, ${end})`];
}

/**
 * Selects the posts of the account that carry every tag, from the tag parameters. The list query iterates over these and
 * looks each post up. `offset 0` stops the planner from scanning all posts instead. It prefers that scan because it
 * cannot know that a tag is on old posts only.
 */
function postsTagged(tags: readonly string[], bounds: readonly string[]): string {
  const one = (tag: string) =>
    `select account_id, post_id from post_tags where ${[OF_ACCOUNT, `tag = ${tag}`, ...bounds].join(' and ')}`;
  const joined = tags.map((tag, index) => `(${one(tag)}) t${index}${index === 0 ? '' : ' using (post_id)'}`);
  return `select t0.account_id, post_id from ${joined.join(' join ')}`;
}
