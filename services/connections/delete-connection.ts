/** Disconnects an account: the login is removed, what waits is cancelled, sent posts stay readable. Emits connection.removed. */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { reachableConnections } from './reachable-connections.ts';
import { removeConnections } from './remove-connections.ts';

/** @throws ServiceError not_found for an unknown, foreign or already deleted connection. */
export async function deleteConnection(context: Context, caller: Caller, connectionId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const where = { ...Object(reachableConnections(caller)), id: connectionId };
    const connection = await em.findOne(Connection, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (connection === null) throw new ServiceError('not_found', `No connection of yours has the id ${connectionId}.`);
    await removeConnections(context, em, caller, [connection]);
  });
}
