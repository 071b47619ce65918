/**
 * Lists the caller's posts, newest first, one row per connection. A filter uses an index
 * (docs/decisions/0019-scan-an-index-in-list-order.md); several are combined in `readMatches`, and words are searched in `searchPosts`.
 */
import { type ComposedQuery, composedQuery } from '../../entities/composed-query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { approvalsOf } from '../approvals/approval-view.ts';
import { type Page, pageOf, refuseCursorWithOffset } from '../paging.ts';
import { requireProfileFilter } from '../access/profile-exists.ts';
import { connectionsNamed } from './connections-named.ts';
import { readFoundPage } from './found-page.ts';
import type { PostFilter } from './filtered-posts.ts';
import { POST_ID, type PostView, postView, SHOWN_POST, type ShownPostRow } from './post-view.ts';
import { OF_ACCOUNT, wholeAccount } from './reachable-posts.ts';
import { isReadInSteps, readMatches, spanQuery } from './read-matches.ts';
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
  const { q, profileId, connection } = page;
  refuseCursorWithOffset(page);
  await requireProfileFilter(context, caller, profileId);
  const connections = connection === undefined ? null : await connectionsNamed(context, caller, connection);
  const { items, nextCursor } =
    q === undefined
      ? await readPage(context, caller, page, connections)
      : await searchPosts(context, caller, { ...page, q }, connections);
  const approvals = await approvalsOf(context.db.queries, items);
  return { posts: items.map((row) => postView(row, approvals)), nextCursor };
}

async function readPage(
  context: Context,
  caller: Caller,
  page: PostPage,
  connections: readonly string[] | null,
): Promise<Page<ShownPostRow>> {
  const { engine, queries } = context.db;
  const { limit, offset } = page;
  // The embedded database keeps no plans.
  const plain = engine === 'postgres' ? plainQuery(caller, page, connections) : null;
  if (plain !== null || !isReadInSteps(caller, page, connections))
    return pageOf(
      await composedQuery(queries, SHOWN_POST.types, plain ?? postsQuery(caller, page, connections)),
      limit,
    );
  const span = { limit: limit + 1, offset };
  if (offset === 0) return pageOf(await readMatches(context, caller, page, connections, span, SHOWN_POST), limit);
  // There may be more posts to skip than memory has room for.
  const found = await readMatches(context, caller, page, connections, span, POST_ID);
  const ids = found.map(({ id }) => id);
  return readFoundPage(queries, ids, limit);
}

/** Page sizes that `plainQuery` is prepared for. */
const USUAL_LIMITS: ReadonlySet<number> = new Set([25, 50, 100]);

/**
 * The query of the page that is asked for most. PostgreSQL keeps its plan, where it plans any other page anew, which takes longer
 * than reading it: the limit is part of the text, and the order of accounts leaves one index
 * (docs/decisions/0121-let-postgresql-keep-the-plan-of-a-list.md).
 *
 * @returns null for any other page
 */
export function plainQuery(
  caller: Caller,
  { limit, offset, cursor, ...filter }: PostPage,
  connections: readonly string[] | null,
): ComposedQuery | null {
  const accountId = wholeAccount(caller);
  const isFiltered = connections !== null || Object.values(filter).some((value) => value !== undefined);
  if (accountId === null || isFiltered || offset !== 0 || !USUAL_LIMITS.has(limit)) return null;
  const bound = cursor === undefined ? '' : ' and id < $2::uuid';
  const sql = `select ${SHOWN_POST.sql} from posts where ${OF_ACCOUNT}${bound}
    order by account_id desc, id desc limit ${limit + 1}`;
  return { sql, parameters: cursor === undefined ? [[accountId]] : [[accountId], cursor] };
}

/**
 * Builds the query of one page with at most one filter, and without words. It selects one row more than the page shows.
 *
 * @param connections ids of connections to filter by; null for any
 */
export function postsQuery(caller: Caller, page: PostPage, connections: readonly string[] | null): ComposedQuery {
  const { limit, offset } = page;
  return spanQuery(caller, page, connections, { limit: limit + 1, offset }, SHOWN_POST.sql);
}
