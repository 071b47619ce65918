/**
 * Asks for the password again before a change that outlives the sign-in, so that a browser left open cannot be used to
 * keep access.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Owner } from '../../entities/owner.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { checkPassword } from './check-password.ts';
import { holdProof } from './hold-sign-in.ts';
import type { Visit } from './owner-change.ts';
import type { SignedInPerson } from './sign-ins.ts';

/**
 * @returns the hash that the password fits, for {@link holdConfirmed}
 * @throws ServiceError invalid_request when it is wrong, too many requests when attempts are throttled
 */
export async function confirmPassword(
  context: Context,
  { ownerId, accountId, email }: SignedInPerson,
  password: string,
  { ip }: Pick<Visit, 'ip'>,
): Promise<string> {
  const owner = await context.db.em().findOne(Owner, { id: ownerId, accountId });
  const checked = await checkPassword(context, { email, ip }, owner, password);
  if (checked.kind === 'refused') throw wrongPassword();
  if (checked.kind === 'wait') throw passwordThrottled(checked.seconds);
  return checked.passwordHash;
}

/**
 * Call it in the transaction of the change, after the account is locked: the password may have been replaced since it was
 * confirmed.
 *
 * @throws ServiceError invalid_request when it was, unauthorized when the sign-in has ended
 */
export async function holdConfirmed(em: SqlEntityManager, person: SignedInPerson, passwordHash: string): Promise<void> {
  if (!(await holdProof(em, person, passwordHash))) throw wrongPassword();
}

export function wrongPassword(): ServiceError {
  return new ServiceError('invalid_request', 'password: The password is wrong. Nothing was changed.');
}

export function passwordThrottled(seconds: number): ServiceError {
  const message = `Too many wrong passwords. Wait ${seconds} seconds; until then no password is checked.`;
  return new ServiceError('too many requests', message, { retryAfterSeconds: seconds });
}
