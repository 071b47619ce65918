/**
 * Lists the caller's posts, newest first, one row per connection. Each filter uses an index
 * (docs/decisions/0019-scan-an-index-in-list-order.md); words are searched in `searchPosts`.
 */
import { type ComposedQuery, composedQuery } from '../../entities/composed-query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { approvalsOf } from '../approvals/approval-view.ts';
import { pageOf, refuseCursorWithOffset } from '../paging.ts';
import { profileExists } from '../access/profile-exists.ts';
import { connectionsNamed } from './connections-named.ts';
import { filteredPosts, type PostFilter } from './filtered-posts.ts';
import { type PostView, postView, SHOWN_POST } from './post-view.ts';
import { searchPosts } from './search-posts.ts';

/** A page of a list. */
export interface PostPage extends PostFilter {
  /** Words; a text must contain all of them. */
  readonly q?: string | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** From 0. */
  readonly offset: number;
}

/**
 * @throws ServiceError invalid_request when `profileId` is not a profile that the caller reaches
 *   (docs/contract/connections.md#slugs-without-a-profile), or for a cursor with an offset.
 */
export async function listPosts(
  context: Context,
  caller: Caller,
  page: PostPage,
): Promise<{ posts: PostView[]; nextCursor: string | null }> {
  const { q, profileId, connection, limit } = page;
  refuseCursorWithOffset(page);
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) {
    throw new ServiceError('invalid_request', `profileId: no profile of yours has the id ${profileId}.`);
  }
  const connections = connection === undefined ? null : await connectionsNamed(context, caller, connection);
  const rows =
    q === undefined
      ? await composedQuery(context.db.queries, SHOWN_POST.types, postsQuery(caller, page, connections))
      : await searchPosts(context, caller, { ...page, q }, connections);
  const { items, nextCursor } = pageOf(rows, limit);
  const approvals = await approvalsOf(context.db.queries, items);
  return { posts: items.map((row) => postView(row, approvals)), nextCursor };
}

/**
 * Builds the query of one page without words. It selects one row more than the page shows.
 *
 * @param connections ids of connections to filter by; null for any
 */
export function postsQuery(caller: Caller, page: PostPage, connections: readonly string[] | null): ComposedQuery {
  const { limit, offset } = page;
  const { newest, id, of, parameters } = filteredPosts(caller, page, connections);
  const found = newest(offset + limit + 1);
  const sql = `select ${SHOWN_POST.sql} from ${found} order by ${id} desc limit ${of(limit + 1)} offset ${of(offset)}`;
  return { sql, parameters };
}
