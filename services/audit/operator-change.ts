/** The audit entry of what the operator did: whoever has the operator's token, or sets the environment of the install. */
import type { Actor } from '../keys/caller.ts';
import type { AuditOutcome, Change } from './store-entries.ts';

const OPERATOR: Actor = { kind: 'operator', id: 'operator', name: 'operator' };

type OperatorAct = Pick<Change, 'accountId' | 'operation' | 'object' | 'requestId'>;

export function operatorChange(act: OperatorAct): Change & { readonly outcome: AuditOutcome } {
  return { ...act, actor: OPERATOR, surface: 'operator', outcome: 'ok', mode: 'live', profileId: null };
}
