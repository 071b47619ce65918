/** Reads the metrics of `/metrics` for OTLP: the same instruments, under the same names and labels. */
import { ValueType } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';

type HrTime = [number, number];

/** A metric of `prom-client`, with its values. A histogram has one value for each bucket, the sum and the count. */
type Measured = MetricObjectWithValues<MetricValue<string> & { readonly metricName?: string }>;

export interface ProducerParts {
  readonly resource: Resource;
  readonly scope: { readonly name: string; readonly version: string };
  /** Since when the counters count. */
  readonly startedAt: Date;
  readonly now: () => Date;
  /** The metrics of this process; the first call starts what they need. */
  readonly read: () => Promise<Registry>;
}

export function prometheusProducer({ resource, scope, startedAt, now, read }: ProducerParts): MetricProducer {
  return {
    collect: async () => {
      const measured = (await (await read()).getMetricsAsJSON()) as unknown as Measured[];
      const times = { startTime: instant(startedAt), endTime: instant(now()) };
      const metrics = measured.flatMap((metric) => metricData(metric, times));
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

function instant(date: Date): HrTime {
  const ms = date.getTime();
  return [Math.floor(ms / 1000), (ms % 1000) * 1_000_000];
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function metricData({ name, help, type, values }: Measured, times: Times): MetricData[] {
  const base = {
    descriptor: { name, description: help, unit: '', valueType: ValueType.DOUBLE },
    aggregationTemporality: AggregationTemporality.CUMULATIVE,
  };
  if (String(type) === 'histogram') {
    const dataPoints = histogramsOf(name, values).map(({ labels, value }) => ({ ...times, attributes: labels, value }));
    return [{ ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints }];
  }
  const dataPoints = values
    // A gauge that could not be read has no value.
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({ ...times, attributes: textsOf(labels), value }));
  if (dataPoints.length === 0) return [];
  return String(type) === 'counter'
    ? [{ ...base, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints }]
    : [{ ...base, dataPointType: DataPointType.GAUGE, dataPoints }];
}

/** Buckets of Prometheus count all values up to their bound, those of OTLP the values between two bounds. */
function histogramsOf(
  name: string,
  values: Measured['values'],
): { labels: Record<string, string>; value: Histogram }[] {
  const series = Map.groupBy(values, ({ labels }) => JSON.stringify(textsOf({ ...labels, le: undefined })));
  return [...series].map(([key, parts]) => {
    const buckets = parts.filter(({ metricName }) => metricName === `${name}_bucket`);
    const valueOf = (suffix: string) => parts.find(({ metricName }) => metricName === name + suffix)?.value ?? 0;
    const counts = buckets.map(({ value }, index) => value - (buckets[index - 1]?.value ?? 0));
    const boundaries = buckets.map(({ labels }) => Number(labels['le'])).filter((bound) => Number.isFinite(bound));
    return {
      labels: JSON.parse(key) as Record<string, string>,
      value: { buckets: { boundaries, counts }, sum: valueOf('_sum'), count: valueOf('_count') },
    };
  });
}

function textsOf(labels: Readonly<Partial<Record<string, string | number | undefined>>>): Record<string, string> {
  const given = Object.entries(labels).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([label, value]) => [label, String(value)]));
}
