/** Gives an owner a new password, for the old one; every other browser is signed out. */
import { Owner } from '../../entities/owner.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { hashPassword } from './argon2id.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import { passwordWork } from './password-work.ts';
import { endSignIns, type SignedInPerson } from './sign-ins.ts';

export interface PasswordChange {
  readonly password: string;
  /** As passwordProblem accepts it. */
  readonly newPassword: string;
  readonly ip: string;
}

export async function changePassword(
  context: Context,
  person: SignedInPerson,
  { password, newPassword, ip }: PasswordChange,
): Promise<PasswordCheck> {
  const { ownerId, accountId, email, signInId } = person;
  const owner = await context.db.em().findOne(Owner, { id: ownerId, accountId });
  const checked = await checkPassword(context, { email, ip }, owner, password);
  if (checked.kind !== 'fits') return checked;
  const passwordHash = await passwordWork(() => hashPassword(newPassword, context.random.bytes));
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await em.nativeUpdate(Owner, { id: ownerId, accountId }, { passwordHash });
    await endSignIns(em, ownerId, signInId);
  });
  context.log.info({ ownerId }, 'an owner changed the password');
  return checked;
}
