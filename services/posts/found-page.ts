/** Reads a page of posts by the ids that were found for it. */
import type { Queries } from '../../entities/statement.ts';
import { type Page, pageOf } from '../paging.ts';
import { readShownPosts, type ShownPostRow } from './post-view.ts';

/**
 * A draft may be deleted after it was found. The page is one shorter then, and the list goes on: whether there is more is known from
 * what was found.
 *
 * @param found ids in the order of the list, one more than the page shows if there is one
 */
export async function readFoundPage(
  queries: Queries,
  found: readonly string[],
  limit: number,
): Promise<Page<ShownPostRow>> {
  const { items, nextCursor } = pageOf(
    found.map((id) => ({ id })),
    limit,
  );
  if (items.length === 0) return { items: [], nextCursor };
  return { items: await readShownPosts(queries, { ids: items.map(({ id }) => id) }), nextCursor };
}
