/** Reads one connection of the caller's. */
import { Connection } from '../../entities/connection.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { noConnection, reachableConnections } from './reachable-connections.ts';

/** @throws ServiceError not_found for an unknown, deleted or foreign connection. */
export async function getConnection(context: Context, caller: Caller, connectionId: string): Promise<ConnectionView> {
  const where = { ...Object(reachableConnections(caller)), id: connectionId };
  const em = context.db.em();
  const connection = await em.findOne(Connection, where);
  if (connection === null) throw noConnection(connectionId);
  return connectionView(context, em, connection);
}
