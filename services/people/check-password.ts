/** Checks the password of an owner: throttled, and taking the same time whether there is such an owner or not. */
import { Owner } from '../../entities/owner.ts';
import type { Context } from '../context.ts';
import { hashPassword, isOutdated, isPasswordOf } from './argon2id.ts';
import { PASSWORD_MAX_BYTES } from './new-password.ts';
import { passwordWork } from './password-work.ts';
import { forgiveTry, takeTry, type Trying } from './sign-in-waits.ts';

export type PasswordCheck =
  | { readonly kind: 'fits'; readonly owner: Owner }
  | { readonly kind: 'refused' }
  /** Nothing was checked. */
  | { readonly kind: 'wait'; readonly seconds: number };

export async function checkPassword(
  context: Context,
  trying: Trying,
  owner: Owner | null,
  password: string,
): Promise<PasswordCheck> {
  const seconds = await takeTry(context, trying);
  if (seconds > 0) return { kind: 'wait', seconds };
  // What nobody can have chosen is not hashed; its length tells nothing that is not documented.
  if (Buffer.byteLength(password) > PASSWORD_MAX_BYTES) return { kind: 'refused' };
  const fits = await passwordWork(() => isTheirs(context, owner, password));
  if (!fits || owner === null) return { kind: 'refused' };
  await forgiveTry(context, trying);
  await rehash(context, owner, password);
  return { kind: 'fits', owner };
}

/** Without an owner as much is hashed as with one. */
async function isTheirs(context: Context, owner: Owner | null, password: string): Promise<boolean> {
  const stored = owner?.passwordHash ?? null;
  if (stored !== null) return isPasswordOf(password, stored);
  await hashPassword(password, context.random.bytes);
  return false;
}

/** The password is known only now, so now is when a hash of earlier days can be brought up to date. */
async function rehash(context: Context, { id, passwordHash }: Owner, password: string): Promise<void> {
  if (passwordHash === null || passwordHash === undefined || !isOutdated(passwordHash)) return;
  const renewed = await passwordWork(() => hashPassword(password, context.random.bytes));
  // Not over a password that was changed meanwhile.
  await context.db.em().nativeUpdate(Owner, { id, passwordHash }, { passwordHash: renewed });
}
