/**
 * A link with which the owner of an account sets it up or chooses a new password. It works once; only its hash is
 * stored.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

export const OwnerLink = defineEntity({
  name: 'OwnerLink',
  tableName: 'owner_links',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** Hex SHA-256 of the secret in the link. */
    secretHash: p.string().length(64).unique(),
    expiresAt: instant(),
    createdAt: instant(),
  },
});
export type OwnerLink = InferEntity<typeof OwnerLink>;
