/** Serializes changes of the people of an account, so that each sees the result of the one before it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OwnerLink } from '../../entities/owner-link.ts';
import { Owner } from '../../entities/owner.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { roleRefusal } from '../access/require-scope.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** Most people of an account, together with the invitations that are open. */
export const PEOPLE_MAX = 50;

/**
 * Locks the people of the account until the transaction ends, and checks that the person is an owner at that moment.
 *
 * @throws ServiceError unauthorized when the person has just been removed, forbidden for another role
 */
export async function lockPeopleAsOwner(em: SqlEntityManager, { ownerId, accountId }: SignedInPerson): Promise<void> {
  await lockAccount(em, accountId);
  const person = await em.findOne(Owner, { id: ownerId, accountId });
  if (person === null) throw new ServiceError('unauthorized', 'You have no access to this account anymore.');
  if (person.role !== 'owner') throw roleRefusal(person.role, null);
}

/** Call it under the lock. @throws ServiceError not_found for a person of another account */
export async function personIn(em: SqlEntityManager, accountId: string, personId: string): Promise<Owner> {
  const person = await em.findOne(Owner, { id: personId, accountId });
  if (person === null) throw new ServiceError('not_found', `No person of this account has the id ${personId}.`);
  return person;
}

/** Call it under the lock, before the owner is removed or gets another role. @throws ServiceError last_owner */
export async function refuseLastOwner(em: SqlEntityManager, { id, accountId, email }: Owner): Promise<void> {
  if ((await em.count(Owner, { accountId, role: 'owner', id: { $ne: id } })) > 0) return;
  throw new ServiceError(
    'last_owner',
    `${email} is the last owner of the account: without one, no one could manage it.`,
  );
}

/** Call it under the lock, before a person is invited. @throws ServiceError limit_exceeded */
export async function refuseAbovePeopleLimit(context: Context, em: SqlEntityManager, accountId: string): Promise<void> {
  const people = await em.count(Owner, { accountId });
  const open = { accountId, role: { $ne: null }, expiresAt: { $gt: context.clock.now() } };
  const invitations = await em.count(OwnerLink, open);
  if (people + invitations < PEOPLE_MAX) return;
  const message = `The account has ${people} people and ${invitations} open invitations; the limit is ${PEOPLE_MAX} together. Remove a person or withdraw an invitation first.`;
  throw new ServiceError('limit_exceeded', message);
}
