/** A request for approval as the API returns it (docs/contract/approvals.md#fields), and the columns it is read from. */
import type { ApprovalState } from '../../entities/approval.ts';
import { columns } from '../../entities/column-lists.ts';
import { type Tables, tables } from '../../entities/tables.ts';
import type { Queries } from '../../entities/statement.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import type { Identity } from '../access/identity.ts';

const NAMES = [
  'id',
  'state',
  'scheduled_for',
  'queue',
  'requested_at',
  'expires_at',
  'requested_by_kind',
  'requested_by_id',
  'requested_by_name',
  'decided_at',
  'decided_by_kind',
  'decided_by_id',
  'decided_by_name',
  'reason',
] as const;

/** The same for typed queries (`list`) and for hand-written SQL (`sql`, `types`). */
export const APPROVAL = { list: NAMES, ...columns('approvals', NAMES) };

export type ApprovalRow = Pick<Tables['approvals'], (typeof NAMES)[number]>;

/** When the post goes out once it is approved: at a time, in the next free slot, or at once. */
export interface SendPlan {
  scheduledFor: string | null;
  queue: boolean;
}

export interface ApprovalView {
  state: ApprovalState;
  plan: SendPlan;
  requestedAt: string;
  requestedBy: Identity;
  /** From when it can no longer be approved. */
  expiresAt: string;
  decidedAt: string | null;
  decidedBy: Identity | null;
  reason: string | null;
}

export function approvalView(row: ApprovalRow): ApprovalView {
  const { decided_by_kind: kind, decided_by_id: id, decided_by_name: name } = row;
  return {
    state: row.state,
    plan: { scheduledFor: timestampOrNull(row.scheduled_for), queue: row.queue },
    requestedAt: timestamp(row.requested_at),
    requestedBy: { kind: row.requested_by_kind, id: row.requested_by_id, name: row.requested_by_name },
    expiresAt: timestamp(row.expires_at),
    decidedAt: timestampOrNull(row.decided_at),
    decidedBy: kind === null || id === null || name === null ? null : { kind, id, name },
    reason: row.reason,
  };
}

/** An approval that was stored as JSON, in which PostgreSQL does not keep the order of fields. */
export function approvalInOrder(view: ApprovalView): ApprovalView {
  const { state, plan, requestedAt, requestedBy, expiresAt, decidedAt, decidedBy, reason } = view;
  return {
    state,
    plan: { scheduledFor: plan.scheduledFor, queue: plan.queue },
    requestedAt,
    requestedBy: identityInOrder(requestedBy),
    expiresAt,
    decidedAt,
    decidedBy: decidedBy === null ? null : identityInOrder(decidedBy),
    reason,
  };
}

function identityInOrder({ kind, id, name }: Identity): Identity {
  return { kind, id, name };
}

/** The approvals of posts that have one, by their ids. Makes no query for posts that never needed one. */
export async function approvalsOf(
  queries: Queries,
  posts: readonly { readonly approval_id: string | null }[],
): Promise<ReadonlyMap<string, ApprovalView>> {
  const ids = posts.flatMap(({ approval_id: id }) => id ?? []);
  if (ids.length === 0) return new Map();
  const rows = await tables(queries).selectFrom('approvals').select(APPROVAL.list).where('id', 'in', ids).execute();
  return new Map(rows.map((row) => [row.id, approvalView(row)]));
}
