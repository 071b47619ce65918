/** Sets and removes the policy of a key or grant, with the keys that follow it, in one transaction. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { Policy, type PolicyKind, type PolicyRules } from '../../entities/policy.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import { findKeyOrGrant } from '../access/find-key-or-grant.ts';
import { identityOf } from '../access/identity.ts';
import { reachableConnections } from '../connections/reachable-connections.ts';
import type { Context } from '../context.ts';
import { isTimeZone } from '../scheduling/time-zone.ts';
import { holdPolicies } from './hold-policies.ts';
import { assignPolicy, bindsAny } from './policy-members.ts';
import { noPolicy, type PolicyView, readPolicy } from './read-policies.ts';

/**
 * Replaces an earlier policy. Posts that are scheduled keep their times.
 *
 * @param policyId of the key or grant
 * @throws ServiceError not_found, invalid_request (unknown zone or connection)
 */
export async function setPolicy(
  context: Context,
  caller: Caller,
  policyId: string,
  rules: PolicyRules,
): Promise<PolicyView> {
  const { accountId } = caller;
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdPolicies(em, caller);
    const kind = await requireTarget(em, caller, policyId);
    await checkRules(em, caller, policyId, rules);
    const by = identityOf(caller);
    const changed = {
      rules,
      changedAt: context.clock.now(),
      changedByKind: by.kind,
      changedById: by.id,
      changedByName: by.name,
    };
    // Requests that post under it lock it first, so they see either policy.
    await em.upsert(Policy, { id: policyId, accountId, kind, ...changed });
    await assignPolicy(em, caller, policyId, policyId);
  });
  return readPolicy(context, caller, policyId);
}

/** @throws ServiceError not_found */
export async function removePolicy(context: Context, caller: Caller, policyId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdPolicies(em, caller);
    const isReached = (await findKeyOrGrant(em, caller, policyId)) !== null;
    const removed = isReached ? await em.nativeDelete(Policy, { id: policyId, accountId: caller.accountId }) : 0;
    if (removed === 0) throw noPolicy(policyId);
    await assignPolicy(em, caller, policyId, null);
  });
}

/**
 * The target may be revoked if keys that were created under it are in force: its policy binds them.
 *
 * @throws ServiceError not_found
 */
export async function requireTarget(em: SqlEntityManager, caller: Caller, id: string): Promise<PolicyKind> {
  const found = await findKeyOrGrant(em, caller, id);
  if (found === null || (found.isRevoked && !(await bindsAny(em, caller, id)))) {
    throw new ServiceError('not_found', `No key and no grant of yours that is in force has the id ${id}.`);
  }
  return found.kind;
}

/**
 * Checks what the schema cannot. Connections that the policy names already may be disconnected by now: it stays limited to them.
 *
 * @throws ServiceError invalid_request
 */
export async function checkRules(
  em: SqlEntityManager,
  caller: Caller,
  policyId: string,
  { quietHours, connectionIds }: PolicyRules,
): Promise<void> {
  if (quietHours !== null && !isTimeZone(quietHours.timezone)) {
    throw new ServiceError(
      'invalid_request',
      `quietHours.timezone: "${quietHours.timezone.slice(0, 60)}" is not an IANA time zone such as Europe/Paris.`,
    );
  }
  if (connectionIds === null) return;
  const reached = { ...Object(reachableConnections(caller)), id: { $in: [...connectionIds] } };
  const rows = await em.find(Connection, reached, { fields: ['id'] });
  const present = await tables(em)
    .selectFrom('policies')
    .select('rules')
    .where('id', '=', policyId)
    .where('account_id', '=', caller.accountId)
    .executeTakeFirst();
  const known = new Set([...rows.map(({ id }) => id), ...(present?.rules.connectionIds ?? [])]);
  const unknown = connectionIds.find((id) => !known.has(id));
  if (unknown === undefined) return;
  throw new ServiceError('invalid_request', `connectionIds: no connection of yours has the id ${unknown}.`);
}
