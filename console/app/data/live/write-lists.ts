/** Writes what is known into lists of the cache, so that reads which began earlier do not put the earlier state back. */
import type { Query, QueryClient, QueryFilters } from '@tanstack/react-query';

type Change<List> = (list: List) => List;

/**
 * Changes each list that has something to change, and again those that are being read, once they are. Lists are as fresh or
 * stale as before: a list that is to be read again has more to show than this change.
 *
 * @param change gives the same object when it changes nothing
 */
export function writeLists<List extends object>(
  queryClient: QueryClient,
  filters: QueryFilters,
  change: Change<List>,
): void {
  for (const query of queryClient.getQueryCache().findAll(filters)) {
    write(queryClient, query, change);
    if (query.state.fetchStatus === 'fetching') afterRead(query, () => write(queryClient, query, change));
  }
}

/** Runs when the read of a query that is in progress has ended, and what it read is in the cache. */
export function afterRead({ promise }: Query, run: () => void): void {
  void promise?.then(run, run);
}

function write<List extends object>(queryClient: QueryClient, { queryKey, state }: Query, change: Change<List>): void {
  const list = state.data as List | undefined;
  if (list === undefined) return;
  const changed = change(list);
  if (changed === list) return;
  queryClient.setQueryData(queryKey, changed, { updatedAt: state.dataUpdatedAt });
  if (state.isInvalidated) void queryClient.invalidateQueries({ queryKey, exact: true, refetchType: 'none' });
}
