/** Revokes calendars: their rows are deleted, so that their addresses answer as if they had never existed. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { lockCalendar } from './reachable-calendars.ts';

/** @throws ServiceError not_found for an unknown, revoked or foreign calendar */
export async function revokeCalendar(context: Context, caller: Caller, calendarId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await em.remove(await lockCalendar(em, caller, calendarId)).flush();
  });
}

/** Runs in the transaction that ends the keys and grants. Their locked rows prevent new calendars under them. */
export async function revokeCalendarsMadeBy(
  em: SqlEntityManager,
  { keyIds, grantIds }: { readonly keyIds: readonly string[]; readonly grantIds: readonly string[] },
): Promise<void> {
  await tables(em)
    .deleteFrom('calendars')
    .where((of) => of.or([of('created_by_key_id', '=', anyOf(keyIds)), of('grant_id', '=', anyOf(grantIds))]))
    .execute();
}

/** Call it before the account is locked, as where a person renews one of them. */
export async function lockCalendarsOfPerson(em: SqlEntityManager, ownerId: string): Promise<void> {
  const calendars = tables(em).selectFrom('calendars').select('id').where('owner_id', '=', ownerId);
  await calendars.orderBy('id').forUpdate().execute();
}

/** Runs in the transaction that removes the person, under the lock of the account, which prevents new ones (holdMaker). */
export async function revokeCalendarsOfPerson(em: SqlEntityManager, ownerId: string): Promise<void> {
  await tables(em).deleteFrom('calendars').where('owner_id', '=', ownerId).execute();
}

/** Runs in the transaction that deletes the profile. */
export async function revokeCalendarsOfProfile(em: SqlEntityManager, profileId: string): Promise<void> {
  await tables(em).deleteFrom('calendars').where('profile_id', '=', profileId).execute();
}
