/** An import of posts from a file, which a worker carries out row by row (docs/contract/import-export.md#imports). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonObject } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { SURFACES } from './audit-entry.ts';
import { id, instant } from './columns.ts';

export const IMPORT_STATUSES = ['running', 'done', 'cancelled'] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

export const IMPORT_FORMATS = ['csv', 'json'] as const;

export const Import = defineEntity({
  name: 'Import',
  tableName: 'imports',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    /** The profile of the key that started it; null for one that reaches the account. */
    profileId: p.uuid().strictNullable(),
    mode: p.enum(['live', 'test'] as const),
    /** Who started it: posts are created with these limits, as long as they are in force. */
    caller: p.json<JsonObject>(),
    /** Surface of the request, for the audit of its posts. */
    surface: p.enum(SURFACES),
    name: p.text().strictNullable(),
    format: p.enum(IMPORT_FORMATS),
    dryRun: p.boolean(),
    status: p.enum(IMPORT_STATUSES).default('running'),
    /** Hex SHA-256 of file and options: the same file continues its import. Null for a dry run. */
    fingerprint: p.string().length(64).strictNullable(),
    /** Why it ended without a request to cancel it; null otherwise. */
    errorMessage: p.text().strictNullable(),
    createdAt: instant(),
    endedAt: instant().strictNullable(),
    /** Held by the one worker that carries it out: a random token, and its expiry. */
    lease: p.uuid().strictNullable(),
    leaseUntil: instant().strictNullable(),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    {
      name: 'imports_running_index',
      expression: `create index "imports_running_index" on "imports" ("account_id", "id") where ("status" = 'running')`,
    },
  ],
  uniques: [{ name: 'imports_fingerprint_unique', properties: ['accountId', 'fingerprint'] }],
});
export type Import = InferEntity<typeof Import>;
