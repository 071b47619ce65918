/** Checks the password of an owner: throttled, and in the same time whether the owner exists or not. */
import { Owner } from '../../entities/owner.ts';
import type { Context } from '../context.ts';
import { hashPassword, isOutdated, isPasswordOf } from './argon2id.ts';
import { PASSWORD_MAX_BYTES } from './new-password.ts';
import { passwordWork, refuseWhenFull } from './password-work.ts';
import {
  clearFailures,
  recordAttempt,
  type RecordedAttempt,
  removeAttempt,
  type SignInAttempt,
} from './login-throttle.ts';

export type PasswordCheck =
  /** `passwordHash`: the hash that it fits, which the transaction that acts on it compares with the one in force. */
  | { readonly kind: 'fits'; readonly owner: Owner; readonly passwordHash: string }
  | { readonly kind: 'refused' }
  /** Throttled: the password was not checked. */
  | { readonly kind: 'wait'; readonly seconds: number };

/** @throws ServiceError `too many requests` when too many passwords are being checked; the attempt does not count */
export async function checkPassword(
  context: Context,
  trying: SignInAttempt,
  owner: Owner | null,
  password: string,
): Promise<PasswordCheck> {
  refuseWhenFull();
  const attempt = await recordAttempt(context, trying);
  if (attempt.kind === 'wait') return attempt;
  // Skips hashing a password that is too long to be valid; the time reveals only the documented limit.
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return { kind: 'refused' };
  const fits = await isTheirsInTurn(context, attempt, owner, password);
  if (!fits || owner === null) return { kind: 'refused' };
  await clearFailures(context, attempt);
  const passwordHash = await rehash(context, owner, password);
  return passwordHash === null ? { kind: 'refused' } : { kind: 'fits', owner, passwordHash };
}

/** The queue may have filled up while the attempt was recorded. */
async function isTheirsInTurn(
  context: Context,
  attempt: RecordedAttempt,
  owner: Owner | null,
  password: string,
): Promise<boolean> {
  try {
    return await passwordWork(() => isTheirs(context, owner, password));
  } catch (error) {
    await removeAttempt(context, attempt);
    throw error;
  }
}

/** Hashes the same amount without an owner as with one. */
async function isTheirs(context: Context, owner: Owner | null, password: string): Promise<boolean> {
  const stored = owner?.passwordHash ?? null;
  if (stored !== null) return isPasswordOf(password, stored);
  await hashPassword(password, context.random.bytes);
  return false;
}

/**
 * Upgrades an outdated hash now, because the password is only known during a sign-in.
 *
 * @returns the hash that the password fits; null when the password was changed meanwhile
 */
async function rehash(context: Context, owner: Owner, password: string): Promise<string | null> {
  const { id, passwordHash } = owner;
  if (passwordHash === null || !isOutdated(passwordHash)) return passwordHash;
  const renewed = await passwordWork(() => hashPassword(password, context.random.bytes));
  const em = context.db.em();
  if ((await em.nativeUpdate(Owner, { id, passwordHash }, { passwordHash: renewed })) > 0) return renewed;
  // Another request upgraded the same password, or someone changed it.
  const latest = await em.findOne(Owner, { id });
  return (await passwordWork(() => isTheirs(context, latest, password))) ? (latest?.passwordHash ?? null) : null;
}
