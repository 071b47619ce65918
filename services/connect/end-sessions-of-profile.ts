/**
 * Ends the open connect sessions of a profile that is being deleted: their links stop working, and their stored data is
 * deleted.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { tables } from '../../entities/tables.ts';

/** Runs in the transaction that deletes the profile. */
export async function endSessionsOfProfile(em: SqlEntityManager, profileId: string): Promise<void> {
  // A session that is being linked now is locked, and waits for the profile's lock; it fails once the profile is deleted.
  await tables(em)
    .updateTable('connect_sessions')
    .set({ status: 'failed', error: 'connect_failed', flow: null })
    .where('id', 'in', (of) =>
      of
        .selectFrom('connect_sessions')
        .select('id')
        .where('profile_id', '=', profileId)
        .where('status', '=', 'pending')
        .forUpdate()
        .skipLocked(),
    )
    .execute();
}
