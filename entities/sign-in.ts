/** A browser in which an owner is signed in. Only the hash of what the browser shows is kept. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';
import { Owner } from './owner.ts';

export const SignIn = defineEntity({
  name: 'SignIn',
  tableName: 'sign_ins',
  properties: {
    id: id(),
    ownerId: () => p.manyToOne(Owner).mapToPk().fieldName('owner_id'),
    /** Hex SHA-256 of the secret in the browser's cookie. */
    secretHash: p.string().length(64).unique(),
    /** What the browser called itself, cut short. */
    userAgent: p.string().length(200),
    createdAt: instant(),
    /** Written at most once a minute. */
    lastSeenAt: instant(),
    /** Moves on with each use, up to an age that no sign-in outlives. */
    expiresAt: instant(),
  },
  indexes: [{ properties: ['ownerId', 'id'] }],
});
export type SignIn = InferEntity<typeof SignIn>;
