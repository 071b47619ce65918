/** A read of metrics in the wire format (docs/contract/metrics.md#reads-of-a-post). */
import type { MetricNumbers } from '../../platforms/contract.ts';
import { timestamp } from '../timestamp.ts';

/** A type instead of an interface, so that events can carry it. */
export type MetricsView = {
  fetchedAt: string;
  impressions: number | null;
  likes: number | null;
  reposts: number | null;
  replies: number | null;
  clicks: number | null;
};

/** Metrics that the platform does not report are null, which is not zero. */
export function metricsView(fetchedAt: Date | string, numbers: MetricNumbers): MetricsView {
  const { impressions = null, likes = null, reposts = null, replies = null, clicks = null } = numbers;
  return { fetchedAt: timestamp(fetchedAt), impressions, likes, reposts, replies, clicks };
}
