/** The person who runs an account and signs in to it; keys never sign a person in (docs/contract/agents.md#people). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

export const Owner = defineEntity({
  name: 'Owner',
  tableName: 'owners',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** Lowercase. */
    email: p.string().unique(),
    /** A salted hash; null until the owner has chosen a password. */
    passwordHash: p.text().nullable(),
    createdAt: instant(),
  },
});
export type Owner = InferEntity<typeof Owner>;
