/** Keeps a profile from being deleted while a row is added to it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Caller } from '../keys/caller.ts';
import { noProfile } from './profile-exists.ts';

// A share lock, because several transactions may add rows at once; the deletion of the profile waits for all of them.
const HOLD = `
  select id from profiles
  where id = $1 and account_id = $2 and deleted_at is null and ($3::uuid is null or id = $3) for share`;

/**
 * Locks a profile that the caller reaches until the transaction ends. Call it before locking any other row: profiles
 * come first, then the account, connections and posts.
 *
 * @throws ServiceError not_found
 */
export async function holdProfile(em: SqlEntityManager, caller: Caller, profileId: string): Promise<void> {
  const rows = await query(em, HOLD, [profileId, caller.accountId, caller.profileId]);
  if (rows.length === 0) throw noProfile(profileId);
}
