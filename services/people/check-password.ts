/** Checks the password of an owner: throttled, and in the same time whether the owner exists or not. */
import { Owner } from '../../entities/owner.ts';
import type { Context } from '../context.ts';
import { hashPassword, isOutdated, isPasswordOf } from './argon2id.ts';
import { PASSWORD_MAX_BYTES } from './new-password.ts';
import { passwordWork } from './password-work.ts';
import { clearFailures, recordAttempt, type SignInAttempt } from './login-throttle.ts';

export type PasswordCheck =
  | { readonly kind: 'fits'; readonly owner: Owner }
  | { readonly kind: 'refused' }
  /** Throttled: the password was not checked. */
  | { readonly kind: 'wait'; readonly seconds: number };

export async function checkPassword(
  context: Context,
  trying: SignInAttempt,
  owner: Owner | null,
  password: string,
): Promise<PasswordCheck> {
  const seconds = await recordAttempt(context, trying);
  if (seconds > 0) return { kind: 'wait', seconds };
  // Skips hashing a password that is too long to be valid; the time reveals only the documented limit.
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return { kind: 'refused' };
  const fits = await passwordWork(() => isTheirs(context, owner, password));
  if (!fits || owner === null) return { kind: 'refused' };
  await clearFailures(context, trying);
  await rehash(context, owner, password);
  return { kind: 'fits', owner };
}

/** Hashes the same amount without an owner as with one. */
async function isTheirs(context: Context, owner: Owner | null, password: string): Promise<boolean> {
  const stored = owner?.passwordHash ?? null;
  if (stored !== null) return isPasswordOf(password, stored);
  await hashPassword(password, context.random.bytes);
  return false;
}

/** Upgrades an outdated hash now, because the password is only known during a sign-in. */
async function rehash(context: Context, { id, passwordHash }: Owner, password: string): Promise<void> {
  if (passwordHash === null || passwordHash === undefined || !isOutdated(passwordHash)) return;
  const renewed = await passwordWork(() => hashPassword(password, context.random.bytes));
  // Does not overwrite a password that was changed meanwhile.
  await context.db.em().nativeUpdate(Owner, { id, passwordHash }, { passwordHash: renewed });
}
