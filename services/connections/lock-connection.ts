/** Reads and locks a connection of the caller's for a change; the lock lasts until the transaction ends. */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Connection } from '../../entities/connection.ts';
import type { Caller } from '../access/caller.ts';
import { noConnection, reachableConnections } from './reachable-connections.ts';

/** @throws ServiceError not_found for an unknown, deleted or foreign connection. */
export async function lockConnection(em: SqlEntityManager, caller: Caller, connectionId: string): Promise<Connection> {
  const where = { ...Object(reachableConnections(caller)), id: connectionId };
  const connection = await em.findOne(Connection, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (connection === null) throw noConnection(connectionId);
  return connection;
}
