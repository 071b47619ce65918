/** The metrics of each day of the window. Metrics of different sizes have charts of their own, so that each can be read. */
import { useMemo } from 'react';
import { LineChart } from '../../ui/line-chart.tsx';
import { Panel } from '../../ui/panel.tsx';
import { instantOf, METRIC_NAMES, METRICS, nameOfDay } from './metrics.ts';
import type { Analytics } from './search.ts';

type Days = Analytics['days'];
type Metric = (typeof METRICS)[number];

const CHARTS: readonly { readonly title: string; readonly metrics: readonly Metric[] }[] = [
  { title: 'Impressions by day', metrics: ['impressions'] },
  { title: 'Likes, reposts and replies by day', metrics: ['likes', 'reposts', 'replies'] },
  { title: 'Clicks by day', metrics: ['clicks'] },
  { title: 'Posts sent by day', metrics: ['posts'] },
];

export function DayCharts({ days }: { days: Days }) {
  return (
    <Panel title="By day">
      <div className="charts">
        {CHARTS.map(({ title, metrics }) => (
          <DayChart key={title} title={title} metrics={metrics} days={days} />
        ))}
      </div>
    </Panel>
  );
}

function DayChart({ title, metrics, days }: { title: string; metrics: readonly Metric[]; days: Days }) {
  const instants = useMemo(() => days.map(({ day }) => instantOf(day)), [days]);
  const lines = useMemo(
    () => metrics.map((name) => ({ label: METRIC_NAMES[name], values: days.map((day) => day[name]) })),
    [metrics, days],
  );
  if (days.every((day) => metrics.every((name) => day[name] === null))) {
    return (
      <p className="no-chart">
        <b>{title}</b>: not reported on any day.
      </p>
    );
  }
  return <LineChart title={title} instants={instants} lines={lines} instantName={nameOfDay} instantHeading="Day" />;
}
