/**
 * A row of the usage ledger: one fee for each charged post, and one for each UTC day of charged reads of a post. Fees
 * are never refunded (docs/contract/errors-and-limits.md#plans).
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** post: a post that reached its platform. read: one or more reads of its metrics on a UTC day. */
export const CHARGE_KINDS = ['post', 'read'] as const;

export const Charge = defineEntity({
  name: 'Charge',
  tableName: 'charges',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    kind: p.enum(CHARGE_KINDS),
    /** The post that the fee is for. */
    subjectId: p.uuid(),
    /**
     * The UTC day of the reads, counted from 1970-01-01; 0 for the post itself. Smaller numbers come from earlier
     * releases and are single reads.
     */
    number: p.integer().default(0),
    platformId: p.string(),
    cents: p.integer(),
    /** When the charged event happened; it decides the month of the fee. */
    at: instant(),
  },
  indexes: [{ properties: ['accountId', 'at'] }],
  uniques: [{ properties: ['subjectId', 'kind', 'number'] }],
});
export type Charge = InferEntity<typeof Charge>;
