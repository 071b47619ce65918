/**
 * Checks again, in the transaction that acts on it, how a person proved who they are. Passwords wait for the throttle and
 * the queue before they are hashed, and meanwhile the password may be replaced or the sign-in ended.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { SignIn } from '../../entities/sign-in.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { SignedInPerson } from './sign-ins.ts';

/**
 * Keeps the ways in which a person signs in from being replaced until the transaction ends. Lock order: after the
 * account.
 *
 * @returns hash of the password in force; null without a password, or when the person has been removed
 */
export async function holdPassword(em: SqlEntityManager, ownerId: string): Promise<string | null> {
  const [held] = await tables(em)
    .selectFrom('owners')
    .select('password_hash')
    .where('id', '=', ownerId)
    // Rows that refer to the person may still be added.
    .forNoKeyUpdate()
    .execute();
  return held?.password_hash ?? null;
}

/**
 * @param passwordHash of the checkPassword that fitted
 * @returns false when the password has been replaced since
 * @throws ServiceError unauthorized when the sign-in has ended since
 */
export async function holdProof(em: SqlEntityManager, person: SignedInPerson, passwordHash: string): Promise<boolean> {
  if ((await holdPassword(em, person.ownerId)) !== passwordHash) return false;
  await requireSignIn(em, person);
  return true;
}

/** Call it after {@link holdPassword}. @throws ServiceError unauthorized when the sign-in has ended */
export async function requireSignIn(em: SqlEntityManager, { ownerId, signInId }: SignedInPerson): Promise<void> {
  if ((await em.count(SignIn, { id: signInId, ownerId })) > 0) return;
  throw new ServiceError('unauthorized', 'This browser was signed out meanwhile. Nothing was changed. Sign in again.');
}
