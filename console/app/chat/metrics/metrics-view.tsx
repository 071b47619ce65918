/** The metrics of a post: the newest, and how they grew. */
import type { Outputs } from '../../data/api-types.ts';
import { POST_METRICS } from '../../data/post-metrics.ts';
import { zonedTime } from '../../ui/day-words.ts';
import { MetricList } from '../../ui/metric-list.tsx';
import type { ChatViewProps } from '../mount.tsx';
import { GrowthChart } from './growth-chart.tsx';

/** The answer of `get_post_metrics`. */
type MetricsAnswer = Outputs['posts']['metrics'];

export function MetricsView({ answer: { latest, history }, zone }: ChatViewProps<MetricsAnswer>) {
  if (latest === null) return <p className="hint">The first metrics are read an hour after sending.</p>;
  return (
    <>
      <MetricList metrics={POST_METRICS.map(([name, label]) => [label, latest[name]])} />
      <p className="hint">
        Read <time dateTime={latest.fetchedAt}>{zonedTime(Date.parse(latest.fetchedAt), zone)}</time> ({zone})
      </p>
      {history.length > 1 && <GrowthChart history={history} zone={zone} />}
    </>
  );
}
