/**
 * Moves a connection into a profile, or back to the caller's own accounts. Slug, queue and posts come
 * along; every post keeps the profile it was written under. Emits connection.removed with the profile
 * that is left, then connection.created with the one arrived at (D38).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Event } from '../../entities/event.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import type { Caller } from '../keys/caller.ts';
import { lockAccount } from '../plans/standing.ts';
import { holdProfile } from '../profiles/hold-profile.ts';
import { connectionConflict } from './connection-conflict.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { lockConnection } from './lock-connection.ts';

/**
 * A connection that is there already stays as it is, and nothing is emitted.
 *
 * @param profileId where to; null for the caller's own accounts
 * @throws ServiceError not_found (connection or profile), connection_conflict (account or slug already there)
 */
export async function moveConnection(
  context: Context,
  caller: Caller,
  connectionId: string,
  profileId: string | null,
): Promise<ConnectionView> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if (profileId !== null) await holdProfile(em, caller, profileId);
    // One move at a time in an account: two that change places would wait for each other's row.
    await lockAccount(em, caller.accountId);
    const connection = await lockConnection(em, caller, connectionId);
    if ((connection.profileId ?? null) === profileId) return connectionView(connection);
    em.create(Event, connectionEvent(context, caller, 'connection.removed', connection));
    connection.profileId = profileId;
    em.create(Event, connectionEvent(context, caller, 'connection.created', connection));
    try {
      await em.flush();
    } catch (error) {
      throw connectionConflict(error, { ...connection, profileId });
    }
    return connectionView(connection);
  });
}
