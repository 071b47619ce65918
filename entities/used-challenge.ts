/**
 * A challenge that a passkey has answered. Challenges are signed and not stored; answered ones are stored until they
 * expire.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { instant } from './columns.ts';

export const UsedChallenge = defineEntity({
  name: 'UsedChallenge',
  tableName: 'used_challenges',
  properties: {
    /** Hex SHA-256. */
    hash: p.string().length(64).primary(),
    expiresAt: instant(),
  },
  indexes: [{ properties: ['expiresAt'] }],
});
export type UsedChallenge = InferEntity<typeof UsedChallenge>;
