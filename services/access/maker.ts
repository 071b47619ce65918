/**
 * The key or grant under which a key or webhook is created. It is stored, because limits and revocation derive from it.
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { OauthGrant } from '../../entities/oauth-grant.ts';
import { Owner, type Role } from '../../entities/owner.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import type { Caller } from './caller.ts';
import { ROLE_SCOPES } from './roles.ts';

/** As the columns of keys and webhooks store it; both null when a person creates it. */
export interface Maker {
  readonly createdByKeyId: string | null;
  readonly grantId: string | null;
}

/** A maker that cannot end before the transaction does, and the policy that it follows. */
export interface HeldMaker {
  readonly maker: Maker;
  readonly policyId: string | null;
}

export function makerOf({ keyId, actor }: Pick<Caller, 'keyId' | 'actor'>): Maker {
  return {
    createdByKeyId: actor.kind === 'key' ? keyId : null,
    grantId: actor.kind === 'oauth_client' ? keyId : null,
  };
}

/**
 * Keeps the caller's key or grant from being revoked, and a person's role from being lowered, until the transaction ends,
 * so that nothing is created with rights that have ended. Lock order: after the profile and before the account.
 *
 * @param at when an expired key is refused too; requests leave it out, because their key was valid when they began
 * @throws ServiceError unauthorized when it has just been revoked or lowered
 */
export async function holdMaker(em: SqlEntityManager, caller: Caller, at?: Date): Promise<HeldMaker> {
  const maker = makerOf(caller);
  const { createdByKeyId, grantId } = maker;
  const held = { lockMode: LockMode.PESSIMISTIC_READ, refresh: true } as const;
  let policyId: string | null = null;
  if (createdByKeyId !== null) {
    const unexpired = at === undefined ? {} : { $or: [{ expiresAt: null }, { expiresAt: { $gt: at } }] };
    const key = await em.findOne(ApiKey, { id: createdByKeyId, revokedAt: null, ...unexpired }, held);
    if (key === null) throw new ServiceError('unauthorized');
    policyId = key.policyId;
  }
  if (grantId !== null) {
    const grant = await em.findOne(OauthGrant, { id: grantId, revokedAt: null }, held);
    await refuseBeyondRole(em, caller, grant?.ownerId);
    policyId = grant?.policyId ?? null;
  }
  if (caller.actor.kind === 'person') {
    // Roles are lowered under this lock.
    await lockAccount(em, caller.accountId);
    await refuseBeyondRole(em, caller, caller.keyId);
  }
  return { maker, policyId };
}

/** Checks that the person still has the rights with which the request was admitted. */
async function refuseBeyondRole(em: SqlEntityManager, { scopes }: Caller, ownerId: string | undefined): Promise<void> {
  const person = ownerId === undefined ? null : await em.findOne(Owner, { id: ownerId });
  if (person === null) throw new ServiceError('unauthorized');
  const { role }: { readonly role: Role } = person;
  const allowed = ROLE_SCOPES[role];
  if (allowed === null || (scopes !== null && allowed.isSupersetOf(scopes))) return;
  throw new ServiceError('unauthorized');
}
