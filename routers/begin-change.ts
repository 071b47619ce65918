/** Puts a change that a caller asks for into the audit: that it was asked for, before the work; what came of it, after. */
import type { AuditObject, AuditOutcome } from '../services/audit/store-entries.ts';
import type { Caller } from '../services/keys/caller.ts';
import { answeredObject, fieldOf, idOf, namedObject, objectOf } from './changed-object.ts';
import type { OperationContext, OperationMeta } from './trpc.ts';

/** A change as it was asked for. */
export interface AskedChange {
  readonly ctx: Pick<OperationContext, 'services' | 'surface' | 'requestId'>;
  readonly caller: Caller;
  readonly meta: OperationMeta;
  /** Name in the router. */
  readonly operation: string;
  /** As it was sent. */
  readonly input: unknown;
}

/** A change that stands in the audit, and is under way. */
export interface BegunChange {
  /** Names what it is about, where neither path nor answer do. */
  about(id: string | null): void;
  /** Writes what came of it; with the answer, where there is one. */
  settle(outcome: AuditOutcome, answer?: unknown): Promise<void>;
}

export async function beginChange({ ctx, caller, meta, operation, input }: AskedChange): Promise<BegunChange> {
  const { audit } = ctx.services;
  const { surface, requestId } = ctx;
  const { accountId, actor, mode } = caller;
  const profileId = caller.profileId ?? idOf(fieldOf(input, 'profileId'));
  const named = namedObject(meta, accountId, input);
  const id = await audit.begin({ accountId, actor, surface, operation, object: named, mode, profileId, requestId });
  let told: AuditObject | null = null;
  return {
    about: (objectId) => {
      if (typeof meta.changes === 'object') told = objectOf(meta.changes.type, [objectId]);
    },
    settle: (outcome, answer) => audit.settle(id, outcome, answeredObject(meta, answer) ?? told ?? named),
  };
}
