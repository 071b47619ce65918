/**
 * One read of a post's metrics (docs/contract/metrics.md#reads-of-a-post). Metrics are running totals; null means not
 * reported, which is not zero.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';
import { Post } from './post.ts';

export const MetricsRead = defineEntity({
  name: 'MetricsRead',
  tableName: 'metrics_reads',
  properties: {
    postId: () => p.manyToOne(Post).mapToPk().primary().deleteRule('cascade').fieldName('post_id'),
    /** Place in the schedule, 1 to 78; each place is read at most once. */
    number: p.integer().primary(),
    fetchedAt: instant(),
    impressions: p.bigint().strictNullable(),
    likes: p.bigint().strictNullable(),
    reposts: p.bigint().strictNullable(),
    replies: p.bigint().strictNullable(),
    clicks: p.bigint().strictNullable(),
  },
});
export type MetricsRead = InferEntity<typeof MetricsRead>;
