/** The tenant: everything else belongs to one account. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: id(),
    /** Bytes of all its images that are kept or being stored; only ever changed together with their rows. */
    mediaBytes: p.integer().default(0),
    createdAt: instant(),
  },
});
export type Account = InferEntity<typeof Account>;
