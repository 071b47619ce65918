/** One check or import: its state, what can be done next, and its rows. */
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Label } from 'react-aria-components/Label';
import { ProgressBar } from 'react-aria-components/ProgressBar';
import { pollPagesMs } from '../../data/poll-pages.ts';
import { useTRPC } from '../../data/trpc.ts';
import { Allowed } from '../../shell/rights.tsx';
import { useSession } from '../../shell/session-context.ts';
import { Button } from '../../ui/button.tsx';
import { Link } from '../../ui/link.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemView } from '../../ui/problem-view.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { ShowMore } from '../../ui/show-more.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { toast } from '../../ui/toasts.tsx';
import { ImportRows } from './import-rows.tsx';
import { countsInWords, type Import, type ImportRow, rowsInWords, SHOWN_ROWS, titleOf } from './import-words.ts';
import { type FileRequest, keptFile } from './kept-file.ts';
import { useStart } from './use-start.ts';

const route = getRouteApi('/files');

/** No event reports the rows of an import, so they are asked for while it runs. */
const RUNNING_MS = 1_500;

/** A choice cannot have an empty value. */
const ALL = 'all';

const PAGE = 100;

export function ImportPanel({ importId }: { importId: string }) {
  const { rows: status } = route.useSearch();
  const query = useInfiniteQuery(
    useTRPC().imports.get.infiniteQueryOptions(
      { importId, limit: PAGE, ...(status !== undefined && { status }) },
      {
        getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
        refetchInterval: ({ state }) => {
          const pages = state.data?.pages ?? [];
          return pages.at(-1)?.import.status === 'running' && pollPagesMs(RUNNING_MS, pages.length);
        },
        placeholderData: (before) => before,
      },
    ),
  );
  const newest = query.data?.pages.at(-1)?.import;
  return (
    <Panel
      title={newest === undefined ? 'Import' : titleOf(newest)}
      aside={
        <Link to="/files" className="link">
          Close
        </Link>
      }
    >
      <QueryView what="the import" query={query}>
        {({ pages }) => (
          <>
            {newest !== undefined && <State import={newest} rows={pages.flatMap(({ rows }) => rows)} />}
            {newest !== undefined && <RowFilter import={newest} />}
            <ImportRows rows={pages.flatMap(({ rows }) => rows)} />
            <ShowMore what="rows" query={query} />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

interface StateProps {
  readonly import: Import;
  /** Those that are read. */
  readonly rows: readonly ImportRow[];
}

function State({ import: one, rows: shown }: StateProps) {
  const { status, rows, counts, error } = one;
  const done = rows - counts.pending;
  return (
    <>
      <p>
        <StatusBadge status={status} />
      </p>
      {status === 'running' && (
        <ProgressBar className="progress" value={done} maxValue={rows} valueLabel={`${done} of ${rowsInWords(rows)}`}>
          {({ percentage = 0, valueText }) => (
            <>
              <Label>{one.dryRun ? 'Checking' : 'Importing'}</Label> <span>{valueText}</span>
              <span className="progress-track">
                <span className="progress-bar" style={{ inlineSize: `${percentage}%` }} />
              </span>
            </>
          )}
        </ProgressBar>
      )}
      <div role="status" aria-label="Rows by result">
        <ul className="count-list">
          {countsInWords(one).map((words) => (
            <li key={words}>{words}</li>
          ))}
        </ul>
      </div>
      {error !== null && <p className="problem">{error}</p>}
      <Allowed to="posts:write">
        <NextStep import={one} rows={shown} />
      </Allowed>
    </>
  );
}

/** What can be done now: begin, cancel, go on, try again. */
function NextStep({ import: one, rows }: StateProps) {
  const { id: importId, status, dryRun, counts } = one;
  const request = keptFile(useSession(), importId);
  const navigate = useNavigate();
  const start = useStart();
  const begin = (file: FileRequest) =>
    start.mutate(
      { request: file, dryRun: false },
      { onSuccess: ({ import: { id } }) => void navigate({ to: '/files', search: { import: id } }) },
    );
  const cancelling = useCancel(importId, request === null ? undefined : () => begin(request));
  if (status === 'running') {
    return (
      <div className="actions">
        <Button isPending={cancelling.isPending} onPress={() => cancelling.mutate({ importId })}>
          Cancel
        </Button>
        <span className="hint">You can close this page: the service continues.</span>
        {cancelling.error !== null && <ProblemView failure={cancelling.error} />}
      </div>
    );
  }
  if (isRefused(one, rows)) {
    return <p className="hint">No row can be imported. Correct the file and choose it again below.</p>;
  }
  const action = actionOf(one);
  if (action === null) return null;
  if (request === null) {
    return (
      <p className="hint">
        This browser no longer has the file. Choose it again below to {dryRun ? 'import it' : 'go on'}: rows that have
        posts are left alone.
      </p>
    );
  }
  return (
    <>
      {dryRun && counts.failed > 0 && (
        <p className="hint">
          A row with a problem gets no post on the connections that refuse it. Correct the file and choose it again, or
          import it as it is.
        </p>
      )}
      <div className="actions">
        <Button look="primary" isPending={start.isPending} onPress={() => begin(request)}>
          {action}
        </Button>
      </div>
      {start.error !== null && <ProblemView failure={start.error} />}
    </>
  );
}

/** Whether each row was checked, and each of its connections refuses it. A row fails as soon as one of them does. */
function isRefused({ dryRun, rows: count, counts }: Import, rows: readonly ImportRow[]): boolean {
  if (!dryRun || counts.failed < count || rows.length < count) return false;
  return rows.every(({ results }) => results.every(({ error }) => error !== null));
}

/** Null when nothing is left to do. */
function actionOf({ status, dryRun, rows, counts }: Import): string | null {
  if (dryRun) return `Import ${rowsInWords(rows)}`;
  if (status === 'cancelled') return 'Go on';
  return counts.failed > 0 ? `Try ${rowsInWords(counts.failed)} again` : null;
}

function useCancel(importId: string, onUndo: (() => void) | undefined) {
  const trpc = useTRPC();
  const queryClient = useQueryClient();
  return useMutation(
    trpc.imports.cancel.mutationOptions({
      onSuccess: ({ import: { dryRun } }) =>
        toast(
          dryRun ? 'The check is cancelled.' : 'The import is cancelled. Posts that it has created stay.',
          dryRun ? undefined : onUndo,
        ),
      onSettled: () => queryClient.invalidateQueries(trpc.imports.get.infiniteQueryFilter({ importId })),
    }),
  );
}

function RowFilter({ import: { id, counts } }: { import: Import }) {
  const { rows } = route.useSearch();
  const navigate = useNavigate();
  const offered = SHOWN_ROWS.filter((status) => counts[status] > 0 || status === rows);
  if (offered.length < 2 && rows === undefined) return null;
  return (
    <RadioChoice<(typeof SHOWN_ROWS)[number] | typeof ALL>
      label="Rows"
      value={rows ?? ALL}
      choices={([ALL, ...offered] as const).map((value) => ({ value, label: value }))}
      onChange={(value) =>
        void navigate({
          to: '/files',
          search: value === ALL ? { import: id } : { import: id, rows: value },
          resetScroll: false,
        })
      }
    />
  );
}
