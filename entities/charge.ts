/** A row of the usage ledger: a fee, once for each post or read that costs one, and never taken back (spec: Limits, X charge). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** post: a post that reached its platform. read: its numbers were read. */
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
    /** Which read of the post it is for; 0 for the post itself. */
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
