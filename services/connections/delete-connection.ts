/**
 * Disconnects an account: the login is removed, what waits is cancelled, sent posts stay readable.
 * A send already under way finishes and is settled. Emits connection.removed.
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { Event } from '../../entities/event.ts';
import { Post } from '../../entities/post.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import type { Caller } from '../keys/caller.ts';
import { reachableConnections } from './reachable-connections.ts';

/** @throws ServiceError not_found for an unknown, foreign or already deleted connection. */
export async function deleteConnection(context: Context, caller: Caller, connectionId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const where = { ...Object(reachableConnections(caller)), id: connectionId };
    const connection = await em.findOne(Connection, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (connection === null) throw new ServiceError('not_found', `No connection of yours has the id ${connectionId}.`);
    connection.deletedAt = context.clock.now();
    connection.credentials = null;
    await em.nativeUpdate(Post, { connectionId, status: 'scheduled' }, { status: 'cancelled' });
    em.create(Event, connectionEvent(context, caller, 'connection.removed', connection));
    await em.flush();
  });
}
