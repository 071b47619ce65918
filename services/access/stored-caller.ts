/** The caller of a request, stored with work that a worker does later in its name. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Caller } from './caller.ts';
import { type HeldMaker, type HeldRights, holdMaker, holdRights } from './maker.ts';
import { scopeList, scopesOf } from './limits.ts';
import type { Scope } from './scopes.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';

/** Everything of the caller, so that limits that are added later are stored too. */
export function storedCaller(caller: Caller): JsonObject {
  const { actor, scopes, ...rest } = caller;
  return { ...rest, actor: { ...actor }, scopes: scopeList(scopes) };
}

/** @param stored what {@link storedCaller} gave */
export function callerOf(stored: JsonObject): Caller {
  const { scopes, ...rest } = stored;
  // Callers that were stored before there were approvals and policies have none.
  return {
    approval: 'none',
    policyId: null,
    ...(rest as unknown as Omit<Caller, 'scopes' | 'approval' | 'policyId'>),
    scopes: scopesOf(scopes as string[] | null),
  };
}

/**
 * A stored caller under the policy and the role of now.
 *
 * @param scope of the work, if the caller may lose others and go on; left out, the role must allow all that the caller may
 * @returns null when its key has expired, its key, grant or person has ended, or the role lacks the scope
 */
export async function inForce(context: Context, caller: Caller, scope?: Scope): Promise<Caller | null> {
  try {
    const now = context.clock.now();
    const hold = (em: SqlEntityManager) => (scope === undefined ? holdMaker : holdRights)(em, caller, now);
    const { policyId, allowed = null }: HeldMaker & Partial<HeldRights> = await context.db.em().transactional(hold);
    const scopes = allowed === null ? caller.scopes : (caller.scopes?.intersection(allowed) ?? allowed);
    if (scope !== undefined && scopes?.has(scope) === false) return null;
    return { ...caller, policyId, scopes };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorized') return null;
    throw error;
  }
}
