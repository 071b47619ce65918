/** Analytics: totals, charts by day, platform and tag, the best times, and all of them as CSV. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useNames } from '../../data/connections.ts';
import { useTRPC } from '../../data/trpc.ts';
import { useTitle } from '../../shell/use-title.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Download } from '../../ui/icons.tsx';
import { ChartColumn } from '../../ui/view-icons.tsx';
import { Link } from '../../ui/link.tsx';
import { useNow } from '../../ui/moment.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { countInWords, ZONE } from '../../ui/times.ts';
import { BarPanel } from './bar-panel.tsx';
import { BestTimes } from './best-times.tsx';
import { csvFiles } from './csv.ts';
import { DayCharts } from './day-charts.tsx';
import { nameOfDay } from './metrics.ts';
import { saveCsv } from '../../ui/save-file.ts';
import { type Analytics, filterOf } from './search.ts';
import { Totals } from './totals.tsx';
import './analytics.css';

const route = getRouteApi('/analytics');

// The metrics are shown first: lists of choices are a sixth of the script of this view.
const AnalyticsFilters = lazy(() => import('./analytics-filters.tsx'));

export function AnalyticsView() {
  useTitle('Analytics');
  const search = route.useSearch();
  const filter = filterOf(search, useNow());
  const names = useNames();
  const query = useQuery(
    useTRPC().analytics.get.queryOptions({ ...filter, include: ['tags', 'times'], timezone: search.zone ?? ZONE }),
  );
  return (
    <>
      <h1>Analytics</h1>
      <Suspense fallback={<div className="analytics-filters-space" />}>
        <AnalyticsFilters search={search} />
      </Suspense>
      <QueryView what="the metrics" query={query}>
        {(data) => (
          <>
            <p role="status">
              {nameOfDay(data.from)} to {nameOfDay(data.to)}
            </p>
            <SampleHint data={data} isAll={search.tag !== undefined} />
            {data.totals.posts === 0 ? (
              <NoPosts />
            ) : (
              <>
                <Totals data={data} filter={filter} />
                <DayCharts days={data.days} />
                <BarPanel
                  title="By platform"
                  caption="Metrics by platform"
                  heading="Platform"
                  rows={data.byPlatform.map((row) => ({ ...row, name: names.platform(row.platformId) }))}
                />
                <Tags data={data} />
                {data.bestTimes !== undefined && <BestTimes times={data.bestTimes} />}
                <Exports data={data} />
              </>
            )}
          </>
        )}
      </QueryView>
    </>
  );
}

/** @param isAll whether all metrics are computed from the sample, as with a filter by tag */
function SampleHint({ data: { sample }, isAll }: { data: Analytics; isAll: boolean }) {
  if (sample === undefined || sample.isWhole) return null;
  return (
    <p className="hint">
      The window has more than {countInWords(sample.max)} posts. {isAll ? 'All metrics' : 'Tags and best times'} cover
      the newest of them. Choose a shorter window to cover all.
    </p>
  );
}

function Tags({ data: { byTag = [] } }: { data: Analytics }) {
  if (byTag.length === 0) {
    return (
      <Panel title="By tag">
        <p className="hint">No post of the window has a tag. Tags are set in Compose, and only you see them.</p>
      </Panel>
    );
  }
  return (
    <BarPanel
      title="By tag"
      caption="Metrics by tag"
      heading="Tag"
      hint="A post with several tags counts for each of them. At most 50 tags are listed, those with the most posts first."
      rows={byTag.map((row) => ({ ...row, name: `#${row.tag}` }))}
    />
  );
}

function Exports({ data }: { data: Analytics }) {
  return (
    <>
      <div className="actions">
        {csvFiles(data).map(({ what, text }) => (
          <Button key={what} onPress={() => saveCsv(`carillon-${what}-${data.from}-${data.to}.csv`, text)}>
            <Download aria-hidden size={18} /> Export {what} as CSV
          </Button>
        ))}
      </div>
      <p className="hint">The files hold what this page shows. An empty cell was not reported.</p>
    </>
  );
}

function NoPosts() {
  return (
    <EmptyState
      icon={ChartColumn}
      title="No post went out in this window"
      action={
        <Link to="/compose" className="button button-primary">
          Write a post
        </Link>
      }
    >
      Choose a longer window or leave out a filter. The first metrics of a post are read an hour after sending.
    </EmptyState>
  );
}
