/** A read of metrics in the wire format (docs/contract/metrics.md#reads-of-a-post). */
import type { PostMetrics } from '../../platforms/contract.ts';
import { timestamp } from '../timestamp.ts';

/**
 * Metrics that the platform does not report are null, which is not zero. What is returned is the wire format:
 * routers/schemas/metrics.ts satisfies its type.
 */
export function metricsView(fetchedAt: Date | string, metrics: PostMetrics) {
  const { impressions = null, likes = null, reposts = null, replies = null, clicks = null } = metrics;
  return { fetchedAt: timestamp(fetchedAt), impressions, likes, reposts, replies, clicks };
}

export type MetricsView = ReturnType<typeof metricsView>;
