/** A private calendar address: who reads what with it (docs/contract/calendars.md). Its secret is stored as a hash. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Connection } from './connection.ts';
import { Profile } from './profile.ts';

export const Calendar = defineEntity({
  name: 'Calendar',
  tableName: 'calendars',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** The one profile that it shows; null for the whole account. */
    profileId: () => p.manyToOne(Profile).mapToPk().strictNullable().deleteRule('no action').fieldName('profile_id'),
    /** The one connection that it shows; null for all. */
    connectionId: () =>
      p.manyToOne(Connection).mapToPk().strictNullable().deleteRule('no action').fieldName('connection_id'),
    /** Type of the key that made it: `test` shows posts to sandboxes only. */
    mode: p.enum(['live', 'test'] as const),
    /** Shown by calendar applications. */
    name: p.text(),
    /** Whether it shows free queue slots. */
    freeSlots: p.boolean(),
    /** Hex SHA-256 of the secret in the address. */
    secretHash: p.string().length(64).unique(),
    /** The key that made it; null when a grant or a person did. */
    createdByKeyId: p.uuid().strictNullable(),
    /** The OAuth grant it was made under; it ends with the grant. */
    grantId: p.uuid().strictNullable(),
    /** The person who made it; it ends with their membership. Null also for a person's calendar from before this column. */
    ownerId: p.uuid().strictNullable(),
    createdAt: instant(),
    /** When its address was made: at first, or by the latest renewal. */
    renewedAt: instant(),
  },
  indexes: [{ properties: ['accountId', 'id'] }],
});
export type Calendar = InferEntity<typeof Calendar>;
