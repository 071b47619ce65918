/** The first request with an Idempotency-Key and the response to replay (docs/contract/posts.md#idempotency). */
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
    /** Operation of the first request; another one is a conflict (docs/contract/posts.md#what-is-stored). */
    operation: p.string(),
    /** Hex SHA-256 of the canonical body. */
    bodyHash: p.string().length(64),
    /**
     * The body to replay, complete once `completedAt` is set; until then it names the stored posts only by their ids.
     */
    response: p.json<JsonObject>(),
    completedAt: instant().strictNullable(),
    /**
     * Mode and profile of the caller, which decide who may get the response again. A null mode is from a release that
     * did not store it.
     */
    mode: p.enum(['live', 'test'] as const).strictNullable(),
    profileId: p.uuid().strictNullable(),
    createdAt: instant(),
    expiresAt: instant(),
  },
  indexes: [{ properties: ['expiresAt'] }],
  uniques: [{ properties: ['accountId', 'key'] }],
});
export type IdempotencyRecord = InferEntity<typeof IdempotencyRecord>;
