/**
 * A link with which the owner of an account sets it up, a person chooses a new password, or an invited person joins. It
 * works once; only its hash is stored.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';
import { Owner, ROLES } from './owner.ts';

export const OwnerLink = defineEntity({
  name: 'OwnerLink',
  tableName: 'owner_links',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** Hex SHA-256 of the secret in the link. */
    secretHash: p.string().length(64).unique(),
    /** The person whose email and password it replaces; null for the first owner, or an invitation. */
    ownerId: () => p.manyToOne(Owner).mapToPk().strictNullable().deleteRule('cascade').fieldName('owner_id'),
    /** Address of the invited person, in lowercase; null when it is no invitation. */
    email: p.string().strictNullable(),
    /** Role of the invited person; null when it is no invitation. */
    role: p.enum(ROLES).strictNullable(),
    /** The owner who invites: the invitation ends with their membership. */
    invitedBy: () => p.manyToOne(Owner).mapToPk().strictNullable().deleteRule('cascade').fieldName('invited_by'),
    expiresAt: instant(),
    createdAt: instant(),
  },
  indexes: [{ properties: ['accountId', 'id'] }, { properties: ['expiresAt'] }],
});
export type OwnerLink = InferEntity<typeof OwnerLink>;
