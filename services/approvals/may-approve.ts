/** Who decides on requests for approval: owners, and keys of the whole account without limits (docs/contract/approvals.md#who-approves). */
import type { Caller } from '../access/caller.ts';
import { identityOf } from '../access/identity.ts';
import { isSupervised } from '../access/limits.ts';
import type { ApprovalRow } from './approval-view.ts';

/** Access tokens of agents always have scopes, so no agent approves. */
export function mayApprove(caller: Caller): boolean {
  return !isSupervised(caller) && caller.profileId === null && caller.scopes === null;
}

/** A caller can ask under a policy that later ends. It still cannot decide on its own request. */
export function isRequester(
  caller: Caller,
  { requested_by_kind: kind, requested_by_id: id }: Pick<ApprovalRow, 'requested_by_kind' | 'requested_by_id'>,
): boolean {
  const identity = identityOf(caller);
  return identity.kind === kind && identity.id === id;
}
