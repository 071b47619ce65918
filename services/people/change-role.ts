/**
 * Gives a person of the account another role, which applies to their next request. Agents to which the person gave
 * access are limited with them; keys and webhooks that those agents created end unless the person is an owner.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner, type Role } from '../../entities/owner.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { confirmPassword, holdConfirmed } from './confirm-password.ts';
import { endMadeByPerson } from './end-made-by-person.ts';
import { lockPeopleAsOwner, personIn, refuseLastOwner } from './lock-people.ts';
import { aboutPerson, ownerChange, type Visit } from './owner-change.ts';
import type { SignedInPerson } from './sign-ins.ts';

export interface RoleChange {
  readonly personId: string;
  readonly role: Role;
  /** Password of the owner who asks. */
  readonly password: string;
}

/** @throws ServiceError invalid_request, forbidden, not_found, last_owner, too many requests */
export async function changeRole(
  context: Context,
  person: SignedInPerson,
  { personId, role, password }: RoleChange,
  visit: Visit,
): Promise<void> {
  const passwordHash = await confirmPassword(context, person, password, visit);
  const { accountId } = person;
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    // Only agents of owners can create keys and webhooks.
    if (role !== 'owner') await endMadeByPerson(em, { accountId, personId, at: context.clock.now(), grantsStay: true });
    await lockPeopleAsOwner(em, person);
    await holdConfirmed(em, person, passwordHash);
    const target = await personIn(em, accountId, personId);
    if (target.role === 'owner' && role !== 'owner') {
      await refuseLastOwner(em, target);
      await em.nativeDelete(OwnerLink, { accountId, invitedBy: personId });
    }
    // A new owner gets no digest about weeks before: a time that has passed is planned anew.
    const isLate = target.role !== 'owner' && target.digestAt != null && target.digestAt <= context.clock.now();
    await em.nativeUpdate(Owner, { id: personId, accountId }, { role, ...(isLate && { digestAt: null }) });
    const act = { operation: 'people.changeRole', outcome: 'ok', object: aboutPerson(personId) } as const;
    await recordChange(context, ownerChange(person, visit, act), em);
  });
  context.log.info({ personId, role }, 'a person got another role');
}
