/**
 * A linked account or channel on a platform (docs/contract/connections.md#connections). Deleted ones are kept without
 * credentials, so that their posts stay readable.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ConnectionLimits } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Profile } from './profile.ts';

/** A posting slot: `weekday` 0 (Sunday) to 6, `time` HH:MM in the connection's time zone. */
export interface QueueSlot {
  weekday: number;
  time: string;
}

/** Setting for AI polish on a connection: as the account says, always or never. */
export const REWRITE_MODES = ['inherit', 'on', 'off'] as const;
export type RewriteMode = (typeof REWRITE_MODES)[number];

/** What can detect that an account has to be reconnected. */
export const RECONNECT_REPORTED_BY = ['send', 'renewal'] as const;

/** SQL that maps "no profile" to a value, so that uniqueness also covers connections without a profile. */
const PROFILE_OR_NONE = `coalesce("profile_id", '00000000-0000-0000-0000-000000000000'::uuid)`;

export const Connection = defineEntity({
  name: 'Connection',
  tableName: 'connections',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    profileId: () => p.manyToOne(Profile).mapToPk().strictNullable().deleteRule('no action').fieldName('profile_id'),
    platformId: p.string(),
    slug: p.string(),
    description: p.string(),
    /** IANA time zone of the slots. */
    timezone: p.string().default('UTC'),
    queueSlots: p.json<QueueSlot[]>(),
    /** Whether queued posts are held. */
    queuePaused: p.boolean().default(false),
    /** AI polish for posts that do not set it. */
    rewriteMode: p.enum(REWRITE_MODES).default('inherit'),
    /** Until when the platform asked for no more calls after it refused too many; null when it did not. */
    backoffUntil: instant().strictNullable(),
    /** The platform's id of the account. */
    platformAccountId: p.string(),
    /** The platform's id of the account whose credentials this one shares and with which it moves; null for none. */
    followsAccountId: p.text().strictNullable(),
    /** The public name of the account on its platform. */
    handle: p.string(),
    /** Limits set by the account's server; null when the platform's facts apply. */
    limits: p.json<ConnectionLimits>().strictNullable(),
    /** The stored credentials, encrypted; null once the connection is deleted. */
    credentials: p.text().strictNullable(),
    /** End of the lease under which one process refreshes the access token; null when none holds it. */
    renewalLeaseUntil: instant().strictNullable(),
    /** When the access token is due to be refreshed; null when it never expires or cannot be refreshed. */
    renewAt: instant().strictNullable(),
    /**
     * When a credential that cannot be renewed ends, as far as its platform said; null for one that is renewed or does
     * not end.
     */
    credentialEndsAt: instant().strictNullable(),
    /**
     * Since when the platform rejects the access token, or its scopes no longer cover what is sent; null when all is
     * well.
     */
    reconnectSince: instant().strictNullable(),
    /** The reason, as a sentence for people. */
    reconnectReason: p.text().strictNullable(),
    /**
     * What detected it. A successful send disproves the finding of another send, but not that the access token cannot
     * be refreshed.
     */
    reconnectReportedBy: p.enum(RECONNECT_REPORTED_BY).fieldName('reconnect_told_by').strictNullable(),
    createdAt: instant(),
    deletedAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'connections_renewal_index',
      expression: `create index "connections_renewal_index" on "connections" ("renew_at") where ("renew_at" is not null and "deleted_at" is null)`,
    },
    {
      name: 'connections_backoff_index',
      expression: `create index "connections_backoff_index" on "connections" ("backoff_until") where ("backoff_until" is not null)`,
    },
  ],
  uniques: [
    {
      name: 'connections_slug_unique',
      expression: `create unique index "connections_slug_unique" on "connections" ("account_id", ${PROFILE_OR_NONE}, "slug") where ("deleted_at" is null)`,
    },
    {
      name: 'connections_platform_account_unique',
      expression: `create unique index "connections_platform_account_unique" on "connections" ("account_id", ${PROFILE_OR_NONE}, "platform_id", "platform_account_id") where ("deleted_at" is null)`,
    },
  ],
});
export type Connection = InferEntity<typeof Connection>;
