/** An RSS or Atom feed whose new items become posts (docs/contract/feeds.md). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonObject } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { SURFACES } from './audit-entry.ts';
import { id, instant } from './columns.ts';

export const FEED_DELIVERIES = ['draft', 'queue'] as const;

/** requested: by its users. failing: after three days. gone: the server says so. ended: its key or agent has ended. */
export const FEED_DISABLED_REASONS = ['requested', 'failing', 'gone', 'ended'] as const;
export type FeedDisabledReason = (typeof FEED_DISABLED_REASONS)[number];

export const Feed = defineEntity({
  name: 'Feed',
  tableName: 'feeds',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** The profile of the key that added it; null for one that reaches the account. */
    profileId: p.uuid().strictNullable(),
    mode: p.enum(['live', 'test'] as const),
    /** Who added it: posts are created with these limits, as long as they are in force. */
    caller: p.json<JsonObject>(),
    /** Surface of the request, for the audit of its posts. */
    surface: p.enum(SURFACES),
    url: p.text(),
    /**
     * When it was given its address, or when a restore was noticed since; null when neither was after it was added. Earlier
     * items are passed over.
     */
    itemsSince: instant().strictNullable(),
    connectionSlugs: p.array(),
    /** The profile of the connections; null for those of the caller. */
    targetProfileId: p.uuid().strictNullable(),
    template: p.text(),
    delivery: p.enum(FEED_DELIVERIES),
    intervalMinutes: p.integer(),
    createdAt: instant(),
    disabledAt: instant().strictNullable(),
    disabledReason: p.enum(FEED_DISABLED_REASONS).strictNullable(),
    /** When it is polled next. While a worker polls it, the end of its lease. */
    nextPollAt: instant(),
    lastPolledAt: instant().strictNullable(),
    /** When the server last gave a feed, or said that it had not changed. */
    lastOkAt: instant().strictNullable(),
    /** Start of the first failed poll since the last success, how many there were, and why. */
    failingSince: instant().strictNullable(),
    failures: p.integer().default(0),
    lastError: p.text().strictNullable(),
    /** Validators of the last answer. */
    etag: p.text().strictNullable(),
    lastModified: p.text().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'feeds_due_index',
      expression: `create index "feeds_due_index" on "feeds" ("next_poll_at") where ("disabled_at" is null)`,
    },
  ],
});
export type Feed = InferEntity<typeof Feed>;
