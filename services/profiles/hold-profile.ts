/** Keeps a profile from being deleted while something is put into it. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';
import type { Caller } from '../keys/caller.ts';
import { noProfile } from './profile-exists.ts';

// A share lock, because several may put something in at once; the deletion of the profile waits for all of them.
const HOLD = `
  select id from profiles
  where id = $1 and account_id = $2 and deleted_at is null and ($3::uuid is null or id = $3) for share`;

/**
 * Holds a living profile that the caller reaches until the transaction is over. To be called before any
 * other row is locked: profiles come first, then the account, connections and posts.
 *
 * @throws ServiceError not_found
 */
export async function holdProfile(em: SqlEntityManager, caller: Caller, profileId: string): Promise<void> {
  const rows = await query(em, HOLD, [profileId, caller.accountId, caller.profileId]);
  if (rows.length === 0) throw noProfile(profileId);
}
