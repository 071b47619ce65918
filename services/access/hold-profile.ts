/** Keeps a profile from being deleted while a row is added to it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from './caller.ts';
import { noProfile } from './profile-exists.ts';

/**
 * Locks a profile that the caller reaches until the transaction ends. Call it before locking any other row: profiles
 * come first, then the account, connections and posts.
 *
 * @throws ServiceError not_found
 */
export async function holdProfile(em: SqlEntityManager, caller: Caller, profileId: string): Promise<void> {
  const held = await tables(em)
    .selectFrom('profiles')
    .select('id')
    .where('id', '=', profileId)
    .where('account_id', '=', caller.accountId)
    .where('deleted_at', 'is', null)
    .$if(caller.profileId !== null, (query) => query.where('id', '=', caller.profileId))
    // A share lock, because several transactions may add rows at once; the deletion of the profile waits for all of them.
    .forShare()
    .execute();
  if (held.length === 0) throw noProfile(profileId);
}

/**
 * Locks the profile of a scoped key: what is created after the deletion of its profile would outlive it.
 *
 * @throws ServiceError unauthorized when the profile was deleted meanwhile, and with it the key
 */
export async function holdOwnProfile(em: SqlEntityManager, caller: Caller, profileId: string): Promise<void> {
  try {
    await holdProfile(em, caller, profileId);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') throw new ServiceError('unauthorized');
    throw error;
  }
}
