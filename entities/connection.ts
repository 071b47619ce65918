/** A linked account or channel on a platform (docs/contract/connections.md#connections). Deleted ones stay, without credentials, so that their posts stay readable. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { ConnectionLimits } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Profile } from './profile.ts';

/** A posting slot: `weekday` 0 (Sunday) to 6, `time` HH:MM on the connection's own clock. */
export interface QueueSlot {
  weekday: number;
  time: string;
}

/** Whether AI polish is asked for on a connection: as the account says, always or never. */
export const REWRITE_MODES = ['inherit', 'on', 'off'] as const;
export type RewriteMode = (typeof REWRITE_MODES)[number];

/** What can find out that an account has to be connected again. */
export const RECONNECT_TOLD_BY = ['send', 'renewal'] as const;

/** SQL that makes "no profile" one value of its own, so that uniqueness covers the caller's own connections too. */
const PROFILE_OR_NONE = `coalesce("profile_id", '00000000-0000-0000-0000-000000000000'::uuid)`;

export const Connection = defineEntity({
  name: 'Connection',
  tableName: 'connections',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    profileId: () => p.manyToOne(Profile).mapToPk().nullable().deleteRule('no action').fieldName('profile_id'),
    platformId: p.string(),
    slug: p.string(),
    description: p.string(),
    /** IANA zone in which slots are read. */
    timezone: p.string().default('UTC'),
    queueSlots: p.json<QueueSlot[]>(),
    /** Whether queued posts are kept back. */
    queuePaused: p.boolean().default(false),
    /** Whether AI polish is asked for where a post does not say. */
    rewriteMode: p.enum(REWRITE_MODES).default('inherit'),
    /** Until when the platform asked to be left alone, after it refused for too many calls; null when it did not. */
    backoffUntil: instant().nullable(),
    /** The platform's own id of the account. */
    platformAccountId: p.string(),
    /** Platform's id of the account whose login this one shares, and with which it moves; null for none. */
    followsAccountId: p.text().nullable(),
    /** What people call the account on its platform. */
    handle: p.string(),
    /** Limits that the account's own server sets; null where the platform's facts hold. */
    limits: p.json<ConnectionLimits>().nullable(),
    /** The stored login, encrypted; null once the connection is deleted. */
    credentials: p.text().nullable(),
    /** Until when one process alone may renew the login; null when none is. */
    renewalLeaseUntil: instant().nullable(),
    /** From when on the login is renewed ahead of its end; null when it has none, or cannot be renewed. */
    renewAt: instant().nullable(),
    /** Since when the platform no longer takes the login, or the login no longer covers what is sent; null when all is well. */
    reconnectSince: instant().nullable(),
    /** Why, in a sentence for people. */
    reconnectReason: p.text().nullable(),
    /** What found it out. A send that goes through shows that another send was wrong about it, but not that a login can be renewed. */
    reconnectToldBy: p.enum(RECONNECT_TOLD_BY).nullable(),
    createdAt: instant(),
    deletedAt: instant().nullable(),
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
