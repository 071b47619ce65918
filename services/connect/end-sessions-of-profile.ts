/**
 * Ends the open connect sessions of a profile that is being deleted: their links stop working, and their stored data is
 * deleted.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';

// A session that is being linked now is locked, and waits for the profile's lock; it fails once the profile is deleted.
const FAIL = `
  update connect_sessions set status = 'failed', error = 'connect_failed', flow = null where id in (
    select id from connect_sessions where profile_id = $1 and status = 'pending' for update skip locked)`;

/** Runs in the transaction that deletes the profile. */
export async function endSessionsOfProfile(em: SqlEntityManager, profileId: string): Promise<void> {
  await query(em, FAIL, [profileId]);
}
