/**
 * A mail to an owner, stored by what it reports. It is sent at most once: a row that remains `sending` is never sent
 * again.
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';
import { Owner } from './owner.ts';

export const OwnerNotice = defineEntity({
  name: 'OwnerNotice',
  tableName: 'owner_notices',
  properties: {
    id: id(),
    ownerId: () => p.manyToOne(Owner).mapToPk().deleteRule('cascade').fieldName('owner_id'),
    subject: p.text(),
    text: p.text(),
    status: p.enum(['pending', 'sending', 'sent', 'failed'] as const).default('pending'),
    /** Sessions with the mail server so far. */
    attempts: p.integer().default(0),
    createdAt: instant(),
    nextAttemptAt: instant(),
  },
  indexes: [
    {
      name: 'owner_notices_due_index',
      expression: `create index "owner_notices_due_index" on "owner_notices" ("next_attempt_at") where ("status" = 'pending')`,
    },
  ],
});
export type OwnerNotice = InferEntity<typeof OwnerNotice>;
