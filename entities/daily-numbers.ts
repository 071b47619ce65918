/**
 * What the posts that went out on a UTC day have come to, kept current by each read: what analytics are read
 * from. Each post counts in two rows, that of its connection and that of the whole account, so that neither
 * question costs more the more connections or posts there are.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** `account`: all connections together. `connection`: one slug of one profile. */
export const NUMBERS_SCOPES = ['account', 'connection'] as const;

export const DailyNumbers = defineEntity({
  name: 'DailyNumbers',
  tableName: 'daily_numbers',
  properties: {
    accountId: p.uuid().primary(),
    scope: p.enum(NUMBERS_SCOPES).primary(),
    /** Zeros for none, and where scope is `account`. */
    profileId: p.uuid().primary(),
    day: p.date().primary(),
    platformId: p.string().primary(),
    /** Empty where scope is `account`. */
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
export type DailyNumbers = InferEntity<typeof DailyNumbers>;
