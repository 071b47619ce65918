/** Reads lists of many pages again at a limited rate. */
import type { InfiniteData, QueryClient, QueryFilters } from '@tanstack/react-query';

/** Lists rest this long after a read, for each page that was read: half of the requests that the service allows. */
const REST_MS = 2_000;

type Rest = { isAsked: boolean };

/** Whether lists are to be read again after their rest, by their key. Absent while they do not rest. */
const resting = new WeakMap<QueryClient, Map<string, Rest>>();

/**
 * Reads the lists on the screen again: at once, or when they have rested since the last time, so that an account
 * that changes without a pause does not use up the requests of the person. Others are read when they are shown next.
 *
 * @param beforeRead runs before each read, also before one after a rest: lists may have grown meanwhile
 * @returns whether they are read at once
 */
export function refreshAtRest(queryClient: QueryClient, filter: QueryFilters, beforeRead?: () => void): boolean {
  const rests = resting.get(queryClient) ?? new Map<string, Rest>();
  resting.set(queryClient, rests);
  const key = JSON.stringify(filter.queryKey);
  const rest = rests.get(key);
  if (rest !== undefined) {
    rest.isAsked = true;
    void queryClient.invalidateQueries({ ...filter, refetchType: 'none' });
    return false;
  }
  beforeRead?.();
  const shown = queryClient.getQueryCache().findAll({ ...filter, type: 'active' });
  const pages = shown.flatMap(
    ({ state }) => (state.data as Partial<InfiniteData<unknown>> | undefined)?.pages ?? [],
  ).length;
  void queryClient.invalidateQueries(filter);
  if (pages === 0) return true;
  const next = { isAsked: false };
  rests.set(key, next);
  setTimeout(() => {
    rests.delete(key);
    if (next.isAsked) refreshAtRest(queryClient, filter, beforeRead);
  }, REST_MS * pages);
  return true;
}
