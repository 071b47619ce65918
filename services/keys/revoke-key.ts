/** Revokes keys permanently. Every process rejects them from the next request on, because each request looks its key up. */
import { type FilterQuery, LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { ApiKey } from '../../entities/api-key.ts';
import { Owner } from '../../entities/owner.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { noProfile, profileExists } from '../access/profile-exists.ts';
import type { Caller } from '../access/caller.ts';
import { voidAskedBy } from '../approvals/settle-approval.ts';
import { endMadeBy } from './end-made-by.ts';
import { isAccountKey } from '../access/is-account-key.ts';
import { reachableKeys } from './reachable-keys.ts';
import { type DeletedProfile, revokeOfProfile } from './revoke-of-profile.ts';

export interface Revocation {
  readonly keyId: string;
  /** The profile that the key must belong to; omitted, any key of the account. */
  readonly profileId?: string | undefined;
  /** Whether to also revoke the keys that an account key minted; keys minted by other keys are always revoked. */
  readonly includeMinted?: boolean | undefined;
}

/**
 * A key that is already revoked stays unchanged, with its first revokedAt.
 *
 * @throws ServiceError not_found, last_account_key
 */
export async function revokeKey(context: Context, caller: Caller, revocation: Revocation): Promise<void> {
  const { profileId } = revocation;
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) throw noProfile(profileId);
  const reached = { ...Object(reachableKeys(caller)), ...(profileId === undefined ? {} : { profileId }) };
  await context.db.em().transactional((em) => revokeWhere(em as SqlEntityManager, context, reached, revocation));
}

/**
 * Revokes the key and everything that ends with it, in the caller's transaction.
 *
 * @param reached filter for the keys that may be revoked
 * @throws ServiceError not_found, last_account_key
 */
export async function revokeWhere(
  em: SqlEntityManager,
  context: Context,
  reached: FilterQuery<ApiKey>,
  { keyId, profileId, includeMinted = false }: Revocation,
): Promise<void> {
  const where = { ...Object(reached), id: keyId };
  const key = await em.findOne(ApiKey, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (key === null) {
    const whose = profileId === undefined ? 'No key of yours' : `No key of the profile ${profileId}`;
    throw new ServiceError('not_found', `${whose} has the id ${keyId}.`);
  }
  const at = context.clock.now();
  // The replacement of an account key must not revoke the keys that it minted: they belong to the account
  // (docs/contract/profiles-and-keys.md#account-keys). What ends with a key is locked before the account, as everywhere.
  if (includeMinted || !isAccountKey(key)) await endMadeBy(em, { keyIds: [keyId], grantIds: [] }, at);
  if (key.revokedAt == null) {
    if (isAccountKey(key)) await refuseLast(em, key, at);
    key.revokedAt = at;
    await em.flush();
    await voidAskedBy(em, [keyId], at);
  }
}

const revokeKeys = revokeOfProfile('api_keys');

/**
 * Revokes the keys of a profile that is deleted. The caller ends what was made under them, in the same transaction.
 *
 * @returns their ids
 */
export async function revokeKeysOf(em: SqlEntityManager, profile: DeletedProfile): Promise<string[]> {
  const revoked = await revokeKeys(em, profile);
  return revoked.map(({ id }) => id);
}

async function refuseLast(em: SqlEntityManager, { id, accountId, type }: ApiKey, now: Date): Promise<void> {
  if (type === 'test') return;
  // Of two concurrent revocations, the second sees the first.
  await lockAccount(em, accountId);
  const lasting = { $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  const where = { accountId, type, profileId: null, revokedAt: null, id: { $ne: id }, ...lasting };
  const others = await em.count(ApiKey, where);
  if (others > 0 || (await em.count(Owner, { accountId })) > 0) return;
  throw new ServiceError('last_account_key');
}
