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
 * @throws ServiceError unauthorized when it has just been revoked or lowered
 */
export async function holdMaker(em: SqlEntityManager, caller: Caller): Promise<Maker> {
  const maker = makerOf(caller);
  const { createdByKeyId, grantId } = maker;
  const held = { lockMode: LockMode.PESSIMISTIC_READ } as const;
  if (createdByKeyId !== null && (await em.findOne(ApiKey, { id: createdByKeyId, revokedAt: null }, held)) === null) {
    throw new ServiceError('unauthorized');
  }
  if (grantId !== null) {
    const grant = await em.findOne(OauthGrant, { id: grantId, revokedAt: null }, held);
    await refuseBeyondRole(em, caller, grant?.ownerId);
  }
  if (caller.actor.kind === 'person') {
    // Roles are lowered under this lock.
    await lockAccount(em, caller.accountId);
    await refuseBeyondRole(em, caller, caller.keyId);
  }
  return maker;
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
