/** A few metrics with their names. */
import { countInWords } from './times.ts';

/** Null is a metric that no one reported, which is not zero. */
export type NamedMetric = readonly [name: string, value: number | null];

export function MetricList({ metrics }: { metrics: readonly NamedMetric[] }) {
  return (
    <dl className="metrics">
      {metrics.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={value === null ? 'metrics-none' : undefined}>{countInWords(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
