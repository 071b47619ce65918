/** Records a change in the audit: the request before the work, the outcome after it. */
import type { AuditObject, AuditOutcome } from '../services/audit/store-entries.ts';
import type { Caller } from '../services/access/caller.ts';
import { answeredObject, fieldOf, idOf, namedObject, objectOf } from './changed-object.ts';
import type { OperationContext } from './context.ts';
import type { OperationMeta } from './meta.ts';

/** A change as the caller requested it. */
export interface RequestedChange {
  readonly ctx: Pick<OperationContext, 'services' | 'surface' | 'requestId'>;
  readonly caller: Caller;
  readonly meta: OperationMeta;
  /** Name of the operation in the router. */
  readonly operation: string;
  /** The input as it was sent. */
  readonly input: unknown;
}

/** A change in progress that is recorded in the audit. */
export interface OpenAuditEntry {
  /** Sets the subject of the change, when neither the path nor the answer names it. */
  setSubject(id: string | null): void;
  /** Records the outcome, and the subject from the answer if there is one. */
  settle(outcome: AuditOutcome, answer?: unknown): Promise<void>;
}

export async function beginAuditEntry({
  ctx,
  caller,
  meta,
  operation,
  input,
}: RequestedChange): Promise<OpenAuditEntry> {
  const { audit } = ctx.services;
  const { surface, requestId } = ctx;
  const { accountId, actor, mode } = caller;
  const profileId = caller.profileId ?? idOf(fieldOf(input, 'profileId'));
  const named = namedObject(meta, accountId, input);
  const id = await audit.begin({ accountId, actor, surface, operation, object: named, mode, profileId, requestId });
  let subject: AuditObject | null = null;
  return {
    setSubject: (objectId) => {
      if (typeof meta.changes === 'object') subject = objectOf(meta.changes.type, [objectId]);
    },
    settle: (outcome, answer) => audit.settle(id, outcome, answeredObject(meta, answer) ?? subject ?? named),
  };
}
