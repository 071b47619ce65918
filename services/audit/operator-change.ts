/**
 * The audit entry of a change by the operator: anyone who has the operator token or sets the environment of the
 * install.
 */
import type { Actor } from '../access/caller.ts';
import type { AuditOutcome, Change } from './store-entries.ts';

const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'operator' };

type OperatorAct = Pick<Change, 'accountId' | 'operation' | 'object' | 'requestId'>;

export function operatorChange(act: OperatorAct): Change & { readonly outcome: AuditOutcome } {
  return { ...act, actor: OPERATOR, surface: 'operator', outcome: 'ok', mode: 'live', profileId: null };
}
