/** Lists the caller's existing connections, newest first. */
import { Connection } from '../../entities/connection.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { pageOf } from '../paging.ts';
import { requireProfileFilter } from '../access/profile-exists.ts';
import { type ConnectionView, connectionViews } from './connection-view.ts';
import { reachableConnections } from './reachable-connections.ts';

export interface ConnectionFilter {
  readonly profileId?: string | undefined;
  /** 1 to 100; all when omitted. */
  readonly limit?: number | undefined;
  /** Id of a connection: the page starts with the connections older than it. */
  readonly cursor?: string | undefined;
}

/**
 * @throws ServiceError invalid_request when `profileId` is not a profile that the caller reaches
 *   (docs/contract/connections.md#slugs-without-a-profile).
 */
export async function listConnections(
  context: Context,
  caller: Caller,
  { profileId, limit, cursor }: ConnectionFilter,
): Promise<{ connections: ConnectionView[]; nextCursor: string | null }> {
  await requireProfileFilter(context, caller, profileId);
  const where = {
    ...Object(reachableConnections(caller)),
    ...(profileId === undefined ? {} : { profileId }),
    ...(cursor === undefined ? {} : { id: { $lt: cursor } }),
  };
  const em = context.db.em();
  const options = { orderBy: { id: 'desc' }, ...(limit === undefined ? {} : { limit: limit + 1 }) } as const;
  const { items, nextCursor } = pageOf(await em.find(Connection, where, options), limit ?? Infinity);
  return { connections: await connectionViews(context, em, items), nextCursor };
}
