/**
 * Moves a connection into a profile, or back to the caller's own accounts. Slug, queue and posts come
 * along; every post keeps the profile it was written under. What shares its login and sits in the same
 * place moves with it, or nothing does. Emits for each connection.removed with the profile that is left,
 * then connection.created with the one arrived at (docs/contract/connections.md#moving).
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Caller } from '../keys/caller.ts';
import { lockAccount } from '../plans/standing.ts';
import { holdProfile } from '../profiles/hold-profile.ts';
import { connectionConflict } from './connection-conflict.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { noConnection, reachableConnections } from './reachable-connections.ts';

/**
 * A connection that is there already stays as it is, and nothing is emitted.
 *
 * @param profileId where to; null for the caller's own accounts
 * @throws ServiceError not_found (connection or profile), connection_conflict (account or slug already there,
 *   of the connection or of one that follows it)
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
    const [connection, ...followers] = await lockWithFollowers(em, caller, connectionId);
    if ((connection.profileId ?? null) === profileId) return connectionView(context, em, connection);
    await moveOne(em, context, caller, connection, profileId);
    for (const follower of followers) {
      try {
        await moveOne(em, context, caller, follower, profileId);
      } catch (error) {
        throw dueToFollower(error, connection, follower);
      }
    }
    return connectionView(context, em, connection);
  });
}

/** The connection, then those that follow it, by id. Locked in the order of their ids, as everybody does who locks several. */
async function lockWithFollowers(
  em: SqlEntityManager,
  caller: Caller,
  connectionId: string,
): Promise<[Connection, ...Connection[]]> {
  const reachable = Object(reachableConnections(caller));
  const sought = await em.findOne(Connection, { ...reachable, id: connectionId });
  if (sought === null) throw noConnection(connectionId);
  const { platformId, platformAccountId: followsAccountId } = sought;
  const profileId = sought.profileId ?? null;
  const following = { ...reachable, platformId, followsAccountId, profileId };
  const locked = await em.find(
    Connection,
    { $or: [{ ...reachable, id: connectionId }, following] },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' }, refresh: true },
  );
  const connection = locked.find(({ id }) => id === connectionId);
  if (connection === undefined) throw noConnection(connectionId);
  return [connection, ...locked.filter((one) => one !== connection)];
}

/** Written at once, so that the index which refuses it refuses this one by name. */
async function moveOne(
  em: SqlEntityManager,
  context: Context,
  caller: Caller,
  connection: Connection,
  profileId: string | null,
): Promise<void> {
  const removed = connectionEvent(context, caller, 'connection.removed', connection);
  connection.profileId = profileId;
  const created = connectionEvent(context, caller, 'connection.created', connection);
  try {
    await em.flush();
  } catch (error) {
    throw connectionConflict(error, { ...connection, profileId });
  }
  await storeEvents(em, [removed, created]);
}

function dueToFollower(error: unknown, connection: Connection, follower: Connection): unknown {
  if (!(error instanceof ServiceError)) return error;
  const message = `"${follower.slug}" moves along with "${connection.slug}", whose login it shares, and cannot: ${error.message} Nothing was moved.`;
  return new ServiceError(error.code, message, { cause: error });
}
