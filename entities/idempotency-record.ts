/** The first request under an Idempotency-Key and the answer to replay (docs/contract/posts.md#idempotency). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonObject } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

export const IdempotencyRecord = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_records',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    key: p.string().length(255),
    /** Operation the key was used on; another one is a conflict (docs/contract/posts.md#what-is-stored). */
    operation: p.string(),
    /** Hex SHA-256 of the canonical body. */
    bodyHash: p.string().length(64),
    /** The body to replay, complete once `completedAt` is set; until then, results of stored posts are named by their ids only. */
    response: p.json<JsonObject>(),
    completedAt: instant().nullable(),
    /** Mode and profile of the caller, which decide who is given the answer again; a mode of null is from before they were kept. */
    mode: p.enum(['live', 'test'] as const).nullable(),
    profileId: p.uuid().nullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [{ properties: ['expiresAt'] }],
  uniques: [{ properties: ['accountId', 'key'] }],
});
export type IdempotencyRecord = InferEntity<typeof IdempotencyRecord>;
