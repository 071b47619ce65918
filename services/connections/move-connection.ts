/**
 * Moves a connection into a profile, or back to the caller's own accounts. Slug, queue and posts move with it; every
 * post keeps the profile that it was created under. Connections in the same place that share its credential move with
 * it; if one cannot, none does. For each, emits connection.removed with the old profile, then connection.created with
 * the new one (docs/contract/connections.md#moving).
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Caller } from '../access/caller.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { holdProfile } from '../access/hold-profile.ts';
import { connectionConflict } from './connection-conflict.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { noConnection, reachableConnections } from './reachable-connections.ts';

/**
 * A connection that is already there stays unchanged, and no event is emitted.
 *
 * @param profileId the target; null for the caller's own accounts
 * @throws ServiceError not_found (connection or profile), connection_conflict (account or slug already there, of the
 *   connection or of one that moves with it)
 */
export async function moveConnection(
  context: Context,
  caller: Caller,
  connectionId: string,
  profileId: string | null,
): Promise<ConnectionView> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    if (profileId !== null) await holdProfile(em, caller, profileId);
    // One move at a time in an account: two connections that swap places would otherwise deadlock.
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

/**
 * The connection, then those that move with it, by id. All code that locks several connections locks them in the order
 * of their ids.
 */
async function lockWithFollowers(
  em: SqlEntityManager,
  caller: Caller,
  connectionId: string,
): Promise<[Connection, ...Connection[]]> {
  const reachable = Object(reachableConnections(caller));
  const targetConnection = await em.findOne(Connection, { ...reachable, id: connectionId });
  if (targetConnection === null) throw noConnection(connectionId);
  const { platformId, platformAccountId: followsAccountId } = targetConnection;
  const profileId = targetConnection.profileId ?? null;
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

/** Flushed immediately, so that a violation of a unique index is attributed to this connection. */
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
  const message = `"${follower.slug}" shares the credential of "${connection.slug}" and would move with it, but cannot: ${error.message} Nothing was moved.`;
  return new ServiceError(error.code, message, { cause: error });
}
