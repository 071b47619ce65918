/**
 * Daily metrics: totals of the posts that were sent on a UTC day, updated by each read; the source of analytics. Each
 * post counts in two rows: one for its connection and one for the whole account. Neither query becomes slower with more
 * connections or posts.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** `account`: all connections together. `connection`: one slug of one profile. */
export const METRICS_SCOPES = ['account', 'connection'] as const;

export const DailyMetrics = defineEntity({
  name: 'DailyMetrics',
  tableName: 'daily_numbers',
  properties: {
    accountId: p.uuid().primary(),
    scope: p.enum(METRICS_SCOPES).primary(),
    /** All zeros for no profile, and when scope is `account`. */
    profileId: p.uuid().primary(),
    day: p.date().primary(),
    platformId: p.string().primary(),
    /** Empty when scope is `account`. */
    connectionSlug: p.string().primary(),
    mode: p.enum(['live', 'test'] as const).primary(),
    posts: p.integer(),
    /** Posts that were read at least once. */
    readPosts: p.integer(),
    /** Posts whose newest read reports impressions. */
    impressionPosts: p.integer(),
    impressions: p.bigint(),
    likes: p.bigint(),
    reposts: p.bigint(),
    replies: p.bigint(),
    clicks: p.bigint(),
  },
  indexes: [{ properties: ['accountId', 'connectionSlug', 'day'] }],
});
export type DailyMetrics = InferEntity<typeof DailyMetrics>;
