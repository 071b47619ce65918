/** The metrics of a post over time. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { POST_METRICS } from '../../data/post-metrics.ts';
import { type Outputs, useTRPC } from '../../data/trpc.ts';
import { LineChart } from '../../ui/line-chart.tsx';
import { Moment } from '../../ui/moment.tsx';
import { MetricList } from '../../ui/metric-list.tsx';
import { Panel } from '../../ui/panel.tsx';
import { QueryView } from '../../ui/query-view.tsx';

type Metrics = Outputs['posts']['metrics'];

export function PostMetrics({ postId }: { postId: string }) {
  const query = useQuery(useTRPC().posts.metrics.queryOptions({ postId }));
  return (
    <Panel title="Metrics">
      <QueryView what="the metrics" query={query}>
        {({ latest, history }) =>
          latest === null ? (
            <p className="hint">The first metrics are read an hour after sending.</p>
          ) : (
            <>
              <MetricList metrics={POST_METRICS.map(([name, label]) => [label, latest[name]])} />
              <p className="hint">
                Read <Moment at={latest.fetchedAt} />.
              </p>
              {history.length > 1 && <History history={history} />}
            </>
          )
        }
      </QueryView>
    </Panel>
  );
}

function History({ history }: { history: Metrics['history'] }) {
  const instants = useMemo(() => history.map(({ fetchedAt }) => fetchedAt), [history]);
  const lines = useMemo(
    () =>
      POST_METRICS.map(([name, label]) => ({ label, values: history.map((read) => read[name]) })).filter(({ values }) =>
        values.some((value) => value !== null),
      ),
    [history],
  );
  return <LineChart title="Running totals" instants={instants} lines={lines} />;
}
