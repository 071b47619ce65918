/** The filters of a list of posts as SQL, with the posts that match in the order of the list. */
import type { PostStatus } from '../../entities/post.ts';
import type { PlatformId } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';
import { earliestId, ID_SLACK_MS } from '../ids.ts';
import { OF_ACCOUNT, reachablePosts } from './reachable-posts.ts';

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
   * What to sort `newest` by, newest first. With the account in it, PostgreSQL follows the index that the posts are found by
   * (docs/decisions/0126-order-lists-by-their-owner-too.md).
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
  const { condition, parameters } = reachablePosts(caller);
  const of = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = [condition];
  const ids: ((id: string) => string)[] = [];
  const bound = (operator: string, value: string) => {
    const parameter = of(value);
    ids.push((id) => `${id} ${operator} ${parameter}::uuid`);
  };
  if (status !== undefined) conditions.push(`status = ${of(status)}`);
  if (profileId !== undefined) conditions.push(`profile_id = ${of(profileId)}`);
  if (platform !== undefined) conditions.push(`platform_id = ${of(platform)}`);
  if (from !== undefined) {
    conditions.push(`created_at >= ${of(from)}`);
    bound('>=', earliestId(new Date(Math.max(from.getTime() - ID_SLACK_MS, 0))));
  }
  if (until !== undefined) {
    conditions.push(`created_at < ${of(until)}`);
    bound('<', earliestId(new Date(until.getTime() + ID_SLACK_MS)));
  }
  if (cursor !== undefined) bound('<', cursor);
  const named = connections === null ? null : `${of(connections)}::uuid[]`;
  const ofConnections = named === null ? [] : [`connection_id = any(${named})`];
  const tags = tag.map(of);
  const bounds = (id: string) => ids.map((one) => one(id));
  const all = (...lists: readonly (readonly string[])[]) => lists.flat().join(' and ');
  const newest = (limit: number) => {
    if (tags.length > 0) {
      const found = `select * from posts where id = t.post_id and ${all(conditions, ofConnections)} offset 0`;
      return `(${postsTagged(tags, bounds('post_id'))}) t cross join lateral (${found}) posts`;
    }
    if (named === null) return `posts where ${all(conditions, bounds('id'))}`;
    // Selects the newest rows of each connection along its own index.
    const where = all(['connection_id = c.id'], conditions, bounds('id'));
    return `unnest(${named}) as c(id) cross join lateral (select * from posts where ${where} order by id desc limit ${of(limit)}) posts`;
  };
  const tagged = tags.length === 0 ? [] : [`tags @> array[${tags.join(', ')}]::text[]`];
  const order = tags.length > 0 ? 't.account_id desc, t.post_id desc' : 'posts.account_id desc, posts.id desc';
  return { newest, order, condition: () => all(conditions, bounds('id'), ofConnections, tagged), parameters, of };
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
