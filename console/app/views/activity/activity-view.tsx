/** Activity: who asked for which change and how it ended, newest first, without end. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTRPC } from '../../data/trpc.ts';
import { useTitle } from '../../shell/use-title.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { History } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { ActivityFilters } from './activity-filters.tsx';
import { EntryRow } from './entry-row.tsx';
import { filterOf } from './search.ts';
import './activity.css';

const route = getRouteApi('/activity');

const PAGE = 50;

export function ActivityView() {
  useTitle('Activity');
  const search = route.useSearch();
  const query = useInfiniteQuery(
    useTRPC().audit.list.infiniteQueryOptions(
      { ...filterOf(search), limit: PAGE },
      { getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined },
    ),
  );
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <h1>Activity</h1>
      <p className="hint">Every change that was asked for, by people, keys, agents and customers. Kept for 400 days.</p>
      <ActivityFilters search={search} />
      <QueryView what="the activity" query={query}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          return entries.length === 0 ? (
            <Nothing isFiltered={isFiltered} />
          ) : (
            <>
              <ol className="rows activity-rows" aria-label="Changes, newest first">
                {entries.map((entry) => (
                  <EntryRow key={entry.id} entry={entry} search={search} />
                ))}
              </ol>
              <ShowMore what="changes" query={query} />
            </>
          );
        }}
      </QueryView>
    </>
  );
}

function Nothing({ isFiltered }: { isFiltered: boolean }) {
  if (!isFiltered) {
    return (
      <EmptyState icon={History} title="Nothing was asked for yet">
        Each change appears here with who asked, over which interface, and its outcome.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={History}
      title="No change matches"
      action={
        <Link to="/activity" className="button button-plain">
          Show all activity
        </Link>
      }
    >
      Leave out a filter.
    </EmptyState>
  );
}
