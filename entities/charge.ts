/** A row of the usage ledger: a fee, once for each post, and each day of reads of a post, that costs one, and never taken back (docs/contract/errors-and-limits.md#plans). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** post: a post that reached its platform. read: its numbers were read on a UTC day, once or more. */
export const CHARGE_KINDS = ['post', 'read'] as const;

export const Charge = defineEntity({
  name: 'Charge',
  tableName: 'charges',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    kind: p.enum(CHARGE_KINDS),
    /** The post it is for. */
    subjectId: p.uuid(),
    /** The UTC day of the reads it is for, counted from 1970-01-01 (smaller numbers, of earlier releases, are single reads); 0 for the post itself. */
    number: p.integer().default(0),
    platformId: p.string(),
    cents: p.integer(),
    /** When what is charged happened: the month it counts in. */
    at: instant(),
  },
  indexes: [{ properties: ['accountId', 'at'] }],
  uniques: [{ properties: ['subjectId', 'kind', 'number'] }],
});
export type Charge = InferEntity<typeof Charge>;
