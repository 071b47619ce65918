/**
 * Removes a person from the account. Their sign-ins, passkeys, invitations and agents end with their row; so do the keys
 * and webhooks that those agents created, and the calendars that the person or an agent made. Keys of the account that
 * the person made stay, because programs depend on them.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OauthArtifact } from '../../entities/oauth-artifact.ts';
import { Owner } from '../../entities/owner.ts';
import { Policy } from '../../entities/policy.ts';
import { tables } from '../../entities/tables.ts';
import { recordChange } from '../audit/record-change.ts';
import { lockCalendarsOfPerson, revokeCalendarsOfPerson } from '../calendars/revoke-calendar.ts';
import type { Context } from '../context.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { endMadeByPerson } from './end-made-by-person.ts';
import { lockPeopleAsOwner, personIn, refuseLastOwner } from './lock-people.ts';
import { aboutPerson, ownerChange, type Visit } from './owner-change.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** @throws ServiceError forbidden, not_found, last_owner */
export async function removePerson(
  context: Context,
  person: SignedInPerson,
  personId: string,
  visit: Visit,
): Promise<void> {
  await endMembership(context, person, personId, {
    visit,
    operation: 'people.remove',
    lock: (em) => lockPeopleAsOwner(em, person),
  });
}

/** A person of any role leaves the account. @throws ServiceError last_owner */
export async function leaveAccount(context: Context, person: SignedInPerson, visit: Visit): Promise<void> {
  await endMembership(context, person, person.ownerId, {
    visit,
    operation: 'people.leave',
    lock: (em) => lockAccount(em, person.accountId),
  });
}

interface Ending {
  readonly visit: Visit;
  readonly operation: 'people.remove' | 'people.leave';
  /** Locks the people of the account, and checks that the caller may do this. */
  readonly lock: (em: SqlEntityManager) => Promise<void>;
}

async function endMembership(
  context: Context,
  person: SignedInPerson,
  personId: string,
  { visit, operation, lock }: Ending,
): Promise<void> {
  const { accountId } = person;
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await lockPolicies(em, personId);
    const ended = { accountId, personId, at: context.clock.now(), grantsStay: false };
    await endMadeByPerson(em, ended);
    await lockCalendarsOfPerson(em, personId);
    await lock(em);
    const target = await personIn(em, accountId, personId);
    if (target.role === 'owner') await refuseLastOwner(em, target);
    await revokeCalendarsOfPerson(em, personId);
    // A grant may have been stored while this waited for the account.
    const grantIds = await holdGrants(em, personId);
    await em.nativeDelete(OauthArtifact, { grantId: { $in: grantIds } });
    // The grants are deleted with the person, and policies do not refer to them.
    await em.nativeDelete(Policy, { id: { $in: grantIds }, accountId });
    await em.nativeDelete(Owner, { id: personId, accountId });
    const act = { operation, outcome: 'ok', object: aboutPerson(personId) } as const;
    await recordChange(context, ownerChange(person, visit, act), em);
  });
  context.log.info({ personId }, 'a person left the account');
}

/** Locks the policies of the person's agents: posts lock theirs before all other rows (holdPolicy). */
async function lockPolicies(em: SqlEntityManager, personId: string): Promise<void> {
  const grants = tables(em).selectFrom('oauth_grants').select('id').where('owner_id', '=', personId);
  await tables(em).selectFrom('policies').select('id').where('id', 'in', grants).orderBy('id').forUpdate().execute();
}

/** @returns ids of the person's grants; no other is stored until the transaction ends (storeGrant) */
async function holdGrants(em: SqlEntityManager, personId: string): Promise<string[]> {
  await tables(em).selectFrom('owners').select('id').where('id', '=', personId).forUpdate().execute();
  const grants = await tables(em).selectFrom('oauth_grants').select('id').where('owner_id', '=', personId).execute();
  return grants.map(({ id }) => id);
}
