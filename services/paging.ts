/** Pages of growing lists: a query selects one row more than the page shows, and the last id shown is the cursor. */

import { ServiceError } from '../errors/service-error.ts';

/** One page of a list. */
export interface Page<Item> {
  readonly items: Item[];
  /** Id that the next page starts after; null on the last page. */
  readonly nextCursor: string | null;
}

/** The page of a list that a caller wants. */
export interface CursorPage {
  /** 1 to 100. */
  readonly limit: number;
  /** Id of an item: the page starts after it. */
  readonly cursor?: string | undefined;
}

/** @param rows up to `limit + 1` rows, in the order of the list */
export function pageOf<Item extends { readonly id: string }>(rows: readonly Item[], limit: number): Page<Item> {
  const items = rows.slice(0, limit);
  return { items, nextCursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** @throws ServiceError invalid_request when both a cursor and an offset are given */
export function refuseCursorWithOffset({ cursor, offset }: { cursor?: string | undefined; offset: number }): void {
  if (cursor === undefined || offset === 0) return;
  throw new ServiceError('invalid_request', 'cursor: cannot be combined with offset; send one of the two.');
}
