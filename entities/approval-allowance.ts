/** Posts that a key or grant may send without asking, until a time: "approve the next ten of this agent today". */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Account } from './account.ts';
import { APPROVAL_ACTORS } from './approval-actors.ts';
import { id, instant } from './columns.ts';

export const ApprovalAllowance = defineEntity({
  name: 'ApprovalAllowance',
  tableName: 'approval_allowances',
  properties: {
    /** Id of the key or grant that may send them. */
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    postsLeft: p.integer(),
    endsAt: instant(),
    givenByKind: p.enum(APPROVAL_ACTORS),
    givenById: p.uuid(),
    givenByName: p.text(),
  },
  indexes: [{ properties: ['endsAt'] }],
});
export type ApprovalAllowance = InferEntity<typeof ApprovalAllowance>;
