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
import type { Scope } from './scopes.ts';

/** As the columns of keys and webhooks store it; both null when a person creates it. */
export interface Maker {
  readonly createdByKeyId: string | null;
  readonly grantId: string | null;
}

/** A maker that cannot end before the transaction does, and the policy that it follows. */
export interface HeldMaker {
  readonly maker: Maker;
  /** The person who creates it; null for a key and a grant. */
  readonly ownerId: string | null;
  readonly policyId: string | null;
}

export function makerOf({ keyId, actor }: Pick<Caller, 'keyId' | 'actor'>): Maker {
  return {
    createdByKeyId: actor.kind === 'key' ? keyId : null,
    grantId: actor.kind === 'oauth_client' ? keyId : null,
  };
}

/** What a maker may do now. */
export interface HeldRights extends HeldMaker {
  /** What the present role of the person allows, also to their agents; null for everything. */
  readonly allowed: ReadonlySet<Scope> | null;
}

/**
 * Keeps the caller's key or grant from being revoked, and a person's role from being lowered, until the transaction ends,
 * so that nothing is created with rights that have ended. Lock order: after the profile and before the account.
 *
 * @throws ServiceError unauthorized when it has just been revoked or lowered
 */
export async function holdMaker(em: SqlEntityManager, caller: Caller, at?: Date): Promise<HeldMaker> {
  const { allowed, ...held } = await holdRights(em, caller, at);
  if (allowed === null || (caller.scopes !== null && allowed.isSupersetOf(caller.scopes))) return held;
  throw new ServiceError('unauthorized');
}

/**
 * As {@link holdMaker}, for a change of something that ends with its maker. Lock order: a key or grant before what it made, and
 * that before the account, by which a person is held, as where keys, grants and people end.
 *
 * @param lock locks what is changed
 * @throws ServiceError unauthorized, and what `lock` throws
 */
export async function holdMakerAnd<Row>(
  em: SqlEntityManager,
  caller: Caller,
  lock: () => Promise<Row>,
): Promise<HeldMaker & { readonly row: Row }> {
  if (caller.actor.kind === 'person') {
    const row = await lock();
    return { ...(await holdMaker(em, caller)), row };
  }
  const held = await holdMaker(em, caller);
  return { ...held, row: await lock() };
}

/**
 * As {@link holdMaker}, but a lowered role is returned.
 *
 * @param at when an expired key is refused too; requests leave it out, because their key was valid when they began
 * @throws ServiceError unauthorized when it has just been revoked
 */
export async function holdRights(em: SqlEntityManager, caller: Caller, at?: Date): Promise<HeldRights> {
  const maker = makerOf(caller);
  const { createdByKeyId, grantId } = maker;
  const held = { lockMode: LockMode.PESSIMISTIC_READ, refresh: true } as const;
  let policyId: string | null = null;
  let allowed: ReadonlySet<Scope> | null = null;
  const ownerId = caller.actor.kind === 'person' ? caller.keyId : null;
  if (createdByKeyId !== null) {
    const unexpired = at === undefined ? {} : { $or: [{ expiresAt: null }, { expiresAt: { $gt: at } }] };
    const key = await em.findOne(ApiKey, { id: createdByKeyId, revokedAt: null, ...unexpired }, held);
    if (key === null) throw new ServiceError('unauthorized');
    policyId = key.policyId;
  }
  if (grantId !== null) {
    const grant = await em.findOne(OauthGrant, { id: grantId, revokedAt: null }, held);
    allowed = await readRoleScopes(em, grant?.ownerId);
    policyId = grant?.policyId ?? null;
  }
  if (ownerId !== null) {
    // Roles are lowered, and people removed, under this lock.
    await lockAccount(em, caller.accountId);
    allowed = await readRoleScopes(em, ownerId);
  }
  return { maker, ownerId, policyId, allowed };
}

async function readRoleScopes(em: SqlEntityManager, ownerId: string | undefined): Promise<ReadonlySet<Scope> | null> {
  const person = ownerId === undefined ? null : await em.findOne(Owner, { id: ownerId });
  if (person === null) throw new ServiceError('unauthorized');
  const { role }: { readonly role: Role } = person;
  return ROLE_SCOPES[role];
}
