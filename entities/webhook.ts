/**
 * A url that events are delivered to (docs/contract/webhooks.md#webhooks-of-a-caller). Its secret is stored encrypted.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Profile } from './profile.ts';

export const DISABLED_REASONS = ['requested', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /**
     * The one profile whose events it receives; null for the whole account
     * (docs/contract/webhooks.md#which-events-a-webhook-gets).
     */
    profileId: () => p.manyToOne(Profile).mapToPk().strictNullable().deleteRule('no action').fieldName('profile_id'),
    /** Type of the key that registered it: `test` receives test-mode events only. */
    mode: p.enum(['live', 'test'] as const),
    /** As given in the request. */
    url: p.text(),
    /** Names of the events it receives; null for {@link DEFAULT_EVENT_NAMES}. */
    events: p.array().strictNullable(),
    description: p.text().strictNullable(),
    /** Encrypted; null once it is deleted. */
    secret: p.text().strictNullable(),
    /** The secret before the last rotation, encrypted, and until when deliveries are signed with it too. */
    previousSecret: p.text().strictNullable(),
    previousSecretUntil: instant().strictNullable(),
    /**
     * Counts changes of url, secret and state: deliveries in progress stop when it differs from the value at their
     * start.
     */
    revision: p.integer().default(0),
    /** The key that registered it; null when a grant or an owner did. */
    createdByKeyId: p.uuid().strictNullable(),
    /** The OAuth grant it was registered under; it ends with the grant. The row of the grant may be gone. */
    grantId: p.uuid().strictNullable(),
    createdAt: instant(),
    deletedAt: instant().strictNullable(),
    /** Why it ended, as its open deliveries show; null while it exists. */
    endedBecause: p.text().strictNullable(),
    /** Since when it is disabled, and why: `requested` by its users, or `failing` for three days. */
    disabledAt: instant().strictNullable(),
    disabledReason: p.enum(DISABLED_REASONS).strictNullable(),
    /**
     * While some of its open deliveries do not follow its state yet: when the latest of them were adjusted to it. Nothing is
     * delivered meanwhile.
     */
    adjustingAt: instant().strictNullable(),
    /** The webhook lease, held by one process at a time: a random token, and its expiry. */
    lease: p.uuid().strictNullable(),
    leaseUntil: instant().strictNullable(),
    /** Whether its latest attempt failed; leases of failing webhooks have a separate limit. */
    failing: p.boolean().default(false),
    /** Start of the first and of the latest failed attempt since the last success. */
    failingSince: instant().strictNullable(),
    lastFailedAt: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'webhooks_failing_index',
      expression: `create index "webhooks_failing_index" on "webhooks" ("failing_since") where ("failing_since" is not null and "disabled_at" is null and "deleted_at" is null)`,
    },
    {
      name: 'webhooks_created_by_key_id_index',
      expression: `create index "webhooks_created_by_key_id_index" on "webhooks" ("created_by_key_id") where ("created_by_key_id" is not null)`,
    },
    {
      name: 'webhooks_grant_id_index',
      expression: `create index "webhooks_grant_id_index" on "webhooks" ("grant_id") where ("grant_id" is not null)`,
    },
    {
      name: 'webhooks_adjusting_index',
      expression: `create index "webhooks_adjusting_index" on "webhooks" ("adjusting_at") where ("adjusting_at" is not null)`,
    },
    {
      name: 'webhooks_lease_index',
      expression: `create index "webhooks_lease_index" on "webhooks" ("lease_until") where ("lease_until" is not null)`,
    },
  ],
});
export type Webhook = InferEntity<typeof Webhook>;
