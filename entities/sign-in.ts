/** A browser session of a signed-in owner. Only the hash of its secret is stored. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';
import { Owner } from './owner.ts';

export const SignIn = defineEntity({
  name: 'SignIn',
  tableName: 'sign_ins',
  properties: {
    id: id(),
    ownerId: () => p.manyToOne(Owner).mapToPk().deleteRule('cascade').fieldName('owner_id'),
    /** Hex SHA-256 of the secret in the browser's cookie. */
    secretHash: p.string().length(64).unique(),
    /** User agent of the browser, shortened. */
    userAgent: p.string().length(200),
    createdAt: instant(),
    /** Written at most once a minute. */
    lastSeenAt: instant(),
    /** Extended with each use, up to a maximum age. */
    expiresAt: instant(),
  },
  indexes: [{ properties: ['ownerId', 'id'] }, { properties: ['expiresAt'] }],
});
export type SignIn = InferEntity<typeof SignIn>;
