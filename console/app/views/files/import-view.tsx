/** Import: a file of posts is checked, then imported; earlier ones are listed. The open one is in the address. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { pollPagesMs } from '../../data/poll-pages.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed, Refusal } from '../../shell/rights.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Inbox } from '../../ui/icons.tsx';
import { Link } from '../../ui/link.tsx';
import { QuietMoment } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { ImportForm } from './import-form.tsx';
import { ImportPanel } from './import-panel.tsx';
import { countsInWords, type Import, titleOf } from './import-words.ts';
import { PlacesHead } from './places.tsx';

const route = getRouteApi('/files');

/** How often the list is read while an import runs. */
const RUNNING_MS = 5_000;

export function ImportView() {
  const { import: importId } = route.useSearch();
  return (
    <>
      <PlacesHead title="Import" />
      {importId !== undefined && <ImportPanel key={importId} importId={importId} />}
      <Refusal of="posts:write" />
      <Allowed to="posts:write">
        <ImportForm />
      </Allowed>
      <EarlierImports />
    </>
  );
}

function EarlierImports() {
  const query = useInfiniteQuery(
    useTRPC().imports.list.infiniteQueryOptions(
      { limit: 25 },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
        refetchInterval: ({ state }) => {
          const pages = state.data?.pages ?? [];
          const isRunning = pages.some(({ imports }) => imports.some(({ status }) => status === 'running'));
          return isRunning && pollPagesMs(RUNNING_MS, pages.length);
        },
      },
    ),
  );
  return (
    <Panel title="Earlier imports">
      <QueryView what="the imports" query={query}>
        {({ pages }) => {
          const imports = pages.flatMap((page) => page.imports);
          if (imports.length === 0) {
            return (
              <EmptyState icon={Inbox} title="Nothing was imported yet">
                Posts come in from a spreadsheet or from another tool, as drafts, into queues or at their times. Choose
                a file above; it is checked before anything is created.
              </EmptyState>
            );
          }
          return (
            <>
              <ul className="rows" aria-label="Imports, newest first">
                {imports.map((one) => (
                  <ImportItem key={one.id} import={one} />
                ))}
              </ul>
              <ShowMore what="imports" query={query} />
            </>
          );
        }}
      </QueryView>
      <p className="hint">Imports are listed for 30 days. Their posts stay.</p>
    </Panel>
  );
}

function ImportItem({ import: one }: { import: Import }) {
  const { id, status, createdAt } = one;
  return (
    <li>
      <p>
        <Link to="/files" search={{ import: id }} className="link">
          <bdi>{titleOf(one)}</bdi>
        </Link>{' '}
        <StatusBadge status={status} />
      </p>
      <p className="hint">
        <QuietMoment at={createdAt} />: {countsInWords(one).join(', ')}
      </p>
    </li>
  );
}
