/** Reads lists of many pages again at a limited rate. */
import type { InfiniteData, Query, QueryClient, QueryFilters } from '@tanstack/react-query';
import { PAGES_MAX } from '../poll-pages.ts';
import { writeLists } from './write-lists.ts';

/** Lists rest this long after a read, for each page that was read: half of the requests that the service allows. */
const REST_MS = 2_000;

type Rest = { isAsked: boolean };

/** Shortens endless lists to as many pages as can be read again. The others come back when the person scrolls to them. */
export function cutPages(queryClient: QueryClient, filter: QueryFilters): void {
  writeLists<object | InfiniteData<unknown>>(queryClient, filter, (list) => {
    if (!('pages' in list) || list.pages.length <= PAGES_MAX) return list;
    return { ...list, pages: list.pages.slice(0, PAGES_MAX), pageParams: list.pageParams.slice(0, PAGES_MAX) };
  });
}

/** The number of pages that are read, when a query is that of an endless list; 0 for others. */
export function pageCount({ state }: Query): number {
  return (state.data as Partial<InfiniteData<unknown>> | undefined)?.pages?.length ?? 0;
}

/** Whether lists are to be read again after their rest, by their key. Absent while they do not rest. */
const resting = new WeakMap<QueryClient, Map<string, Rest>>();

/**
 * Reads the lists on the screen again: at once, or when they have rested since the last time, so that an account
 * that changes without a pause does not use up the requests of the person. Others are read when they are shown next. Endless lists
 * are shortened before each read.
 *
 * @returns whether they are read at once
 */
export function refreshAtRest(queryClient: QueryClient, filter: QueryFilters): boolean {
  const rests = resting.get(queryClient) ?? new Map<string, Rest>();
  resting.set(queryClient, rests);
  const key = JSON.stringify(filter.queryKey);
  const rest = rests.get(key);
  if (rest !== undefined) {
    rest.isAsked = true;
    void queryClient.invalidateQueries({ ...filter, refetchType: 'none' });
    return false;
  }
  cutPages(queryClient, filter);
  const shown = queryClient.getQueryCache().findAll({ ...filter, type: 'active' });
  const pages = shown.map(pageCount).reduce((sum, count) => sum + count, 0);
  void queryClient.invalidateQueries(filter);
  if (pages === 0) return true;
  const next = { isAsked: false };
  rests.set(key, next);
  setTimeout(() => {
    rests.delete(key);
    if (next.isAsked) refreshAtRest(queryClient, filter);
  }, REST_MS * pages);
  return true;
}
