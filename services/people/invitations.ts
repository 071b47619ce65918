/** Lists and withdraws the open invitations of an account. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { OwnerLink } from '../../entities/owner-link.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { dateOf } from '../timestamp.ts';
import type { InvitationView } from './invite-person.ts';
import { lockPeopleAsOwner } from './lock-people.ts';
import { aboutInvitation, ownerChange, type Visit } from './owner-change.ts';
import type { SignedInPerson } from './sign-ins.ts';

/** Newest first. The account has at most PEOPLE_MAX of them. */
export async function listInvitations(
  context: Context,
  { accountId }: Pick<SignedInPerson, 'accountId'>,
): Promise<InvitationView[]> {
  const rows = await tables(context.db.queries)
    .selectFrom('owner_links')
    .select(['id', 'email', 'role', 'created_at', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('expires_at', '>', context.clock.now().toISOString())
    .orderBy('id', 'desc')
    .execute();
  return rows.flatMap(({ id, email, role, created_at: createdAt, expires_at: expiresAt }) =>
    email === null || role === null
      ? []
      : [{ id, email, role, createdAt: dateOf(createdAt), expiresAt: dateOf(expiresAt) }],
  );
}

/** Its link stops working at once. @throws ServiceError not_found, forbidden */
export async function withdrawInvitation(
  context: Context,
  person: SignedInPerson,
  id: string,
  visit: Visit,
): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await lockPeopleAsOwner(em, person);
    const open = { id, accountId: person.accountId, role: { $ne: null }, expiresAt: { $gt: context.clock.now() } };
    if ((await em.nativeDelete(OwnerLink, open)) === 0) {
      throw new ServiceError('not_found', `No open invitation of this account has the id ${id}.`);
    }
    const act = { operation: 'people.withdrawInvitation', outcome: 'ok', object: aboutInvitation(id) } as const;
    await recordChange(context, ownerChange(person, visit, act), em);
  });
}
