/** Who decides on requests for approval: owners, and keys of the whole account without limits (docs/contract/approvals.md#who-approves). */
import type { Caller } from '../access/caller.ts';
import { isSupervised } from '../access/limits.ts';

/** Access tokens of agents always have scopes, so no agent approves. */
export function mayApprove(caller: Caller): boolean {
  return !isSupervised(caller) && caller.profileId === null && caller.scopes === null;
}
