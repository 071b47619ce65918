/** One row of an imported file, with what happened to it (docs/contract/import-export.md#rows). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { Json, JsonObject } from '../platforms/contract.ts';
import { Import } from './import.ts';

export const IMPORT_ROW_STATUSES = ['pending', 'valid', 'created', 'skipped', 'failed'] as const;
export type ImportRowStatus = (typeof IMPORT_ROW_STATUSES)[number];

export const ImportRow = defineEntity({
  name: 'ImportRow',
  tableName: 'import_rows',
  properties: {
    id: p.uuid().primary(),
    importId: () => p.manyToOne(Import).mapToPk().deleteRule('cascade').fieldName('import_id'),
    accountId: p.uuid(),
    /** 1 for the first row after the header of a CSV file, or the first item of a JSON file. */
    number: p.integer(),
    /** The post to create; null when the row cannot be read. */
    input: p.json<JsonObject>().strictNullable(),
    /** Hex SHA-256 of what the row asks for, and of how often the file has asked for it before. */
    hash: p.string().length(64),
    status: p.enum(IMPORT_ROW_STATUSES).default('pending'),
    /** How often it was tried anew after it had failed. */
    tries: p.integer().default(0),
    /** One result a connection; empty before there is one. */
    results: p.json<Json[]>(),
    errorCode: p.string().strictNullable(),
    errorMessage: p.text().strictNullable(),
  },
  indexes: [
    {
      name: 'import_rows_created_index',
      expression: `create index "import_rows_created_index" on "import_rows" ("account_id", "hash") where ("status" = 'created')`,
    },
  ],
  uniques: [{ name: 'import_rows_number_unique', properties: ['importId', 'number'] }],
});
export type ImportRow = InferEntity<typeof ImportRow>;
