/** Ends requests for approval. Of several decisions at once, the first one counts: each is one conditional update. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ApprovalState } from '../../entities/approval.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Identity } from '../access/identity.ts';
import { APPROVAL, type ApprovalRow } from './approval-view.ts';

export interface Decision {
  readonly state: Exclude<ApprovalState, 'pending'>;
  readonly at: Date;
  /** Null when no person decided. */
  readonly by: Identity | null;
  readonly reason: string | null;
}

/**
 * Settles the pending request of a post. Call it in the transaction that changes the post, after its row is locked.
 *
 * @returns the settled request; undefined when none is pending
 */
export async function settleApproval(
  em: SqlEntityManager,
  postId: string,
  { state, at, by, reason }: Decision,
): Promise<ApprovalRow | undefined> {
  return tables(em)
    .updateTable('approvals')
    .set({
      state,
      decided_at: at,
      decided_by_kind: by?.kind ?? null,
      decided_by_id: by?.id ?? null,
      decided_by_name: by?.name ?? null,
      reason,
    })
    .where('post_id', '=', postId)
    .where('state', '=', 'pending')
    .returning(APPROVAL.list)
    .executeTakeFirst();
}

const voidAsked = statement('void the requests of ended keys and grants', {
  parameters: { requesters: 'uuid[]', at: 'timestamptz', reason: 'text' },
  sql: ({ requesters, at, reason }) => `
    with voided as (
      update approvals set state = 'void', decided_at = ${at}, reason = ${reason}
      where requested_by_id = any(${requesters}) and state = 'pending'
    )
    delete from approval_allowances where id = any(${requesters})`,
});

/** Voids what ended keys and grants have asked for, in the transaction in which they end. Their drafts stay. */
export async function voidAskedBy(em: SqlEntityManager, requesters: readonly string[], at: Date): Promise<void> {
  if (requesters.length === 0) return;
  await voidAsked(em, { requesters, at, reason: 'The key or agent that asked has ended.' });
}
