/** The metrics of the last seven days. */
import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../../data/trpc.ts';
import { MetricList } from '../../ui/metric-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useNow } from '../../ui/moment.tsx';

const DAY_MS = 86_400_000;

export function WeekMetrics() {
  const now = useNow();
  const day = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
  const query = useQuery(useTRPC().analytics.get.queryOptions({ from: day(6), to: day(0) }));
  return (
    <Panel title="Last seven days">
      <QueryView what="the metrics of the week" query={query}>
        {({ totals }) => (
          <MetricList
            metrics={[
              ['Posts sent', totals.posts],
              ['Impressions', totals.impressions],
              ['Likes', totals.likes],
              ['Reposts', totals.reposts],
              ['Replies', totals.replies],
              ['Clicks', totals.clicks],
            ]}
          />
        )}
      </QueryView>
    </Panel>
  );
}
