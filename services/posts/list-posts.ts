/**
 * Lists the caller's posts, newest first, one row per connection. Each filter uses an index
 * (docs/decisions/0019-scan-an-index-in-list-order.md and
 * docs/decisions/0057-store-the-words-of-posts-in-a-separate-table.md).
 */
import { type ComposedQuery, composedQuery } from '../../entities/composed-query.ts';
import type { PostStatus } from '../../entities/post.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { PlatformId } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { earliestId, ID_SLACK_MS } from '../ids.ts';
import type { Caller } from '../access/caller.ts';
import { pageOf, refuseCursorWithOffset } from '../paging.ts';
import { profileExists } from '../access/profile-exists.ts';
import { connectionsNamed } from './connections-named.ts';
import { POST, type PostView, postView } from './post-view.ts';
import { matchesWords, ownerLexeme } from './post-words.ts';
import { reachablePosts } from './reachable-posts.ts';

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
  /** Words; a text must contain all of them. */
  readonly q?: string | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** From 0. */
  readonly offset: number;
  /** Id of a post: the page starts with the posts older than it. */
  readonly cursor?: string | undefined;
}

/**
 * @throws ServiceError invalid_request when `profileId` is not a profile that the caller reaches
 *   (docs/contract/connections.md#slugs-without-a-profile), or for a cursor with an offset.
 */
export async function listPosts(
  context: Context,
  caller: Caller,
  filter: PostFilter,
): Promise<{ posts: PostView[]; nextCursor: string | null }> {
  const { profileId, connection, limit } = filter;
  refuseCursorWithOffset(filter);
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) {
    throw new ServiceError('invalid_request', `profileId: no profile of yours has the id ${profileId}.`);
  }
  const connections = connection === undefined ? null : await connectionsNamed(context, caller, connection);
  const rows = await composedQuery(context.db.em(), POST.types, postsQuery(caller, filter, connections));
  const { items, nextCursor } = pageOf(rows, limit);
  return { posts: items.map(postView), nextCursor };
}

/**
 * Builds the query of one page. It selects one row more than the page shows.
 *
 * @param connections ids of connections to filter by; null for any
 */
export function postsQuery(caller: Caller, filter: PostFilter, connections: readonly string[] | null): ComposedQuery {
  const { status, profileId, platform, from, until, q, cursor, tag = [], limit, offset } = filter;
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
  if (q !== undefined) {
    const words = matchesWords(of(q), of(ownerLexeme(caller.accountId)));
    conditions.push(`id in (select w.post_id from post_words w where ${words})`);
  }
  const bounds = (id: string) => ids.map((one) => one(id));
  const last = `order by posts.id desc limit ${of(limit + 1)} offset ${of(offset)}`;
  if (tag.length > 0) {
    if (connections !== null) conditions.push(`connection_id = any(${of(connections)}::uuid[])`);
    const tagged = postsTagged(tag.map(of), bounds('post_id'));
    const found = `select * from posts where id = t.post_id and ${conditions.join(' and ')} offset 0`;
    return { sql: selectPosts(`(${tagged}) t cross join lateral (${found}) posts`, last), parameters };
  }
  const where = [...conditions, ...bounds('id')].join(' and ');
  if (connections === null) return { sql: selectPosts(`posts where ${where}`, last), parameters };
  // Selects the newest rows of each connection along its own index, then the newest of these.
  const newest = `select * from posts where connection_id = c.id and ${where} order by id desc limit ${of(offset + limit + 1)}`;
  const source = `unnest(${of(connections)}::uuid[]) as c(id) cross join lateral (${newest}) posts`;
  return { sql: selectPosts(source, last), parameters };
}

function selectPosts(source: string, last: string): string {
  return `select ${POST.sql} from ${source} ${last}`;
}

/**
 * Selects the posts of account $1 that carry every tag, from the tag parameters. The list query iterates over these and
 * looks each post up. `offset 0` stops the planner from scanning all posts instead. It prefers that scan because it
 * cannot know that a tag is on old posts only.
 */
function postsTagged(tags: readonly string[], bounds: readonly string[]): string {
  const one = (tag: string) =>
    `select post_id from post_tags where ${['account_id = $1', `tag = ${tag}`, ...bounds].join(' and ')}`;
  const joined = tags.map((tag, index) => `(${one(tag)}) t${index}${index === 0 ? '' : ' using (post_id)'}`);
  return `select post_id from ${joined.join(' join ')}`;
}
