/** An address that events are delivered to (spec: Webhook). Its secret is stored encrypted. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Profile } from './profile.ts';

export const Webhook = defineEntity({
  name: 'Webhook',
  tableName: 'webhooks',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** The one profile whose events it hears; null for the whole account (D40). */
    profileId: () => p.manyToOne(Profile).mapToPk().nullable().deleteRule('no action').fieldName('profile_id'),
    /** Type of the key that registered it: `test` hears test-mode events only. */
    mode: p.enum(['live', 'test'] as const),
    /** As it was given. */
    url: p.text(),
    /** Names of the events it hears; null for all. */
    events: p.array().nullable(),
    /** Encrypted; null once it is deleted. */
    secret: p.text().nullable(),
    /** The key that registered it; null when a grant or an owner did. */
    createdByKeyId: p.uuid().nullable(),
    /** The OAuth grant it was registered under, and ends with. The row of the grant may be gone. */
    grantId: p.uuid().nullable(),
    createdAt: instant(),
    deletedAt: instant().nullable(),
    /** Who delivers to it at present, one process at a time: a random token, and until when it holds. */
    lane: p.uuid().nullable(),
    laneUntil: instant().nullable(),
    /** Whether its latest attempt failed; such receivers have lanes apart. */
    failing: p.boolean().default(false),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'webhooks_created_by_key_id_index',
      expression: `create index "webhooks_created_by_key_id_index" on "webhooks" ("created_by_key_id") where ("created_by_key_id" is not null)`,
    },
    {
      name: 'webhooks_grant_id_index',
      expression: `create index "webhooks_grant_id_index" on "webhooks" ("grant_id") where ("grant_id" is not null)`,
    },
    {
      name: 'webhooks_lane_index',
      expression: `create index "webhooks_lane_index" on "webhooks" ("lane_until") where ("lane_until" is not null)`,
    },
  ],
});
export type Webhook = InferEntity<typeof Webhook>;
