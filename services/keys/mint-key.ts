/**
 * Mints a key of a profile, within the limits of the caller. The account's row is locked while keys are counted, so
 * that two requests cannot both take the last place of a profile or of the hour. A refused mint leaves no row, and so
 * does not count (docs/contract/profiles-and-keys.md#test-keys).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { ApprovalRule } from '../../entities/approval-actors.ts';
import { ApiKey } from '../../entities/api-key.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { holdProfile } from '../access/hold-profile.ts';
import type { Caller } from '../access/caller.ts';
import { limitsWithin } from '../access/limits.ts';
import { holdMaker } from '../access/maker.ts';
import { type MintedKey, storeKey } from './new-key.ts';
import type { Scope } from '../access/scopes.ts';

/** Maximum number of active keys of a profile, of each type (docs/contract/profiles-and-keys.md#minted-keys). */
const KEYS_MAX = 50;

/** Maximum number of keys that an account mints in an hour (docs/contract/profiles-and-keys.md#minted-keys). */
const MINTS_MAX = 20;
const HOUR_MS = 3_600_000;

export interface MintInput {
  readonly profileId: string;
  readonly name: string;
  readonly type: 'live' | 'test';
  readonly redirectAllowlist?: readonly string[] | undefined;
  /** Defaults to those of the caller. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Defaults to that of the caller. */
  readonly approval?: ApprovalRule | undefined;
  /** ISO instant from which the key is refused. */
  readonly expiresAt?: string | undefined;
}

/**
 * @throws ServiceError invalid_request (expiresAt in the past), forbidden (a live key requested by a test key, or scopes that the caller lacks), not_found,
 *   limit_exceeded, too many requests, unauthorized when the caller's key or grant has just been revoked
 */
export async function mintKey(context: Context, caller: Caller, input: MintInput): Promise<MintedKey> {
  const { profileId, name, type, redirectAllowlist = [], expiresAt } = input;
  const limits = limitsWithin(caller, { profileId, mode: type, scopes: input.scopes, approval: input.approval });
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    await holdProfile(em, caller, profileId);
    const { maker, policyId } = await holdMaker(em, caller);
    await lockAccount(em, caller.accountId);
    const now = context.clock.now();
    await refuseAboveProfile(em, input);
    await refuseAboveHour(em, caller.accountId, now);
    const key = { accountId: caller.accountId, name, redirectAllowlist, expiresAt, ...maker };
    // The policy of now: that of the request may have been replaced since.
    return storeKey(em, context, { ...key, limits: { ...limits, policyId } });
  });
}

async function refuseAboveProfile(em: SqlEntityManager, { profileId, type }: MintInput): Promise<void> {
  const count = await em.count(ApiKey, { profileId, type, revokedAt: null });
  if (count < KEYS_MAX) return;
  const message = `The profile ${profileId} has ${count} ${type} keys; the limit is ${KEYS_MAX}.`;
  throw new ServiceError('limit_exceeded', message);
}

// Counts keys with a profile only: keys without one are not minted. A minted key keeps its row when it is revoked.
async function refuseAboveHour(em: SqlEntityManager, accountId: string, now: Date): Promise<void> {
  const where = { accountId, profileId: { $ne: null }, createdAt: { $gt: new Date(now.getTime() - HOUR_MS) } };
  const minted = await em.find(ApiKey, where, { orderBy: { createdAt: 'desc' }, limit: MINTS_MAX });
  const oldest = minted[MINTS_MAX - 1];
  if (oldest === undefined) return;
  // The rate-limit headers describe the minute, so only Retry-After can describe the hour.
  const retryAfterSeconds = Math.ceil((oldest.createdAt.getTime() + HOUR_MS - now.getTime()) / 1000);
  throw new ServiceError('too many requests', undefined, { retryAfterSeconds });
}
