/** Lists the caller's living connections, newest first. */
import { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { profileExists } from '../profiles/profile-exists.ts';
import { type ConnectionView, connectionView } from './connection-view.ts';
import { reachableConnections } from './reachable-connections.ts';

/** @throws ServiceError invalid_request when `profileId` is not a profile the caller reaches (D32). */
export async function listConnections(
  context: Context,
  caller: Caller,
  filter: { profileId?: string | undefined },
): Promise<ConnectionView[]> {
  const { profileId } = filter;
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) {
    throw new ServiceError('invalid_request', `profileId: ${profileId} is not one of your profiles.`);
  }
  const where = { ...Object(reachableConnections(caller)), ...(profileId === undefined ? {} : { profileId }) };
  const connections = await context.db.em().find(Connection, where, { orderBy: { id: 'desc' } });
  return connections.map(connectionView);
}
