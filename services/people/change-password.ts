/** Changes the password of an owner who provides the old one, and signs out every other browser. */
import { Owner } from '../../entities/owner.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { AuditOutcome } from '../audit/store-entries.ts';
import type { Context } from '../context.ts';
import { hashPassword } from './argon2id.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import { holdProof } from './hold-sign-in.ts';
import { passwordProblem } from './new-password.ts';
import { aboutOwner, ownerChange, type Visit } from './owner-change.ts';
import { passwordWork } from './password-work.ts';
import { endSignIns, type SignedInPerson } from './sign-ins.ts';

export interface PasswordChange {
  readonly password: string;
  readonly newPassword: string;
}

/** `unfit`: the new password is not allowed; `problem` is the reason from passwordProblem. */
export type PasswordChangeOutcome = PasswordCheck | { readonly kind: 'unfit'; readonly problem: string };

/** @throws ServiceError unauthorized when the sign-in has ended meanwhile */
export async function changePassword(
  context: Context,
  person: SignedInPerson,
  { password, newPassword }: PasswordChange,
  visit: Visit,
): Promise<PasswordChangeOutcome> {
  const { ownerId, accountId, email, signInId } = person;
  const change = (outcome: AuditOutcome) =>
    ownerChange(person, visit, { operation: 'owner.changePassword', outcome, object: aboutOwner(person) });
  const problem = passwordProblem(newPassword);
  if (problem !== null) {
    await recordChange(context, change('invalid_request'));
    return { kind: 'unfit', problem };
  }
  const owner = await context.db.em().findOne(Owner, { id: ownerId, accountId });
  const checked = await checkPassword(context, { email, ip: visit.ip }, owner, password);
  if (checked.kind === 'refused') await recordChange(context, change('unauthorized'));
  if (checked.kind !== 'fits') return checked;
  const passwordHash = await passwordWork(() => hashPassword(newPassword, context.random.bytes));
  const isChanged = await context.db.em().transactional(async (em: SqlEntityManager) => {
    if (!(await holdProof(em, person, checked.passwordHash))) return false;
    await em.nativeUpdate(Owner, { id: ownerId, accountId }, { passwordHash });
    await endSignIns(em, ownerId, signInId);
    await recordChange(context, change('ok'), em);
    return true;
  });
  if (!isChanged) {
    await recordChange(context, change('unauthorized'));
    return { kind: 'refused' };
  }
  context.log.info({ ownerId }, 'an owner changed the password');
  return checked;
}
