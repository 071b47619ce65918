/** The caller of a request, stored with work that a worker does later in its name. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Caller } from './caller.ts';
import { holdMaker } from './maker.ts';
import { scopeList, scopesOf } from './limits.ts';
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

/** A stored caller under the policy of now; null when its key has expired, or its key, grant or role has ended. */
export async function inForce(context: Context, caller: Caller): Promise<Caller | null> {
  try {
    const now = context.clock.now();
    const { policyId } = await context.db.em().transactional((em: SqlEntityManager) => holdMaker(em, caller, now));
    return { ...caller, policyId };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'unauthorized') return null;
    throw error;
  }
}
