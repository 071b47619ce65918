/** Lists the caller's connect sessions, newest first, a page at a time. */
import type { FilterQuery } from '@mikro-orm/core';
import { ConnectSession, type ConnectSessionStatus } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { requireProfileFilter } from '../access/profile-exists.ts';
import { type Page, pageOf } from '../paging.ts';
import { type ConnectSessionView, connectSessionView } from './connect-session-view.ts';
import { reachableSessions } from './reachable-sessions.ts';

export interface ConnectSessionFilter {
  readonly status?: ConnectSessionStatus | undefined;
  readonly profileId?: string | undefined;
  readonly limit: number;
  /** Id of a session; the page starts after it, with older ones. */
  readonly cursor?: string | undefined;
}

/**
 * @throws ServiceError invalid_request when `profileId` is not a profile that the caller reaches
 *   (docs/contract/connections.md#slugs-without-a-profile).
 */
export async function listConnectSessions(
  context: Context,
  caller: Caller,
  { status, profileId, limit, cursor }: ConnectSessionFilter,
): Promise<Page<ConnectSessionView>> {
  await requireProfileFilter(context, caller, profileId);
  const now = context.clock.now();
  const conditions: FilterQuery<ConnectSession>[] = [
    reachableSessions(caller),
    ...(status === undefined ? [] : [withStatus(status, now)]),
    ...(profileId === undefined ? [] : [{ profileId }]),
    ...(cursor === undefined ? [] : [{ id: { $lt: cursor } }]),
  ];
  const em = context.db.em();
  const sessions = await em.find(ConnectSession, { $and: conditions }, { orderBy: { id: 'desc' }, limit: limit + 1 });
  return pageOf(
    sessions.map((session) => connectSessionView(session, now)),
    limit,
  );
}

/** A pending session past its end counts as expired, also before housekeeping has written so. */
function withStatus(status: ConnectSessionStatus, now: Date): FilterQuery<ConnectSession> {
  if (status === 'pending') return { status, expiresAt: { $gt: now } };
  if (status === 'expired') return { $or: [{ status }, { status: 'pending', expiresAt: { $lte: now } }] };
  return { status };
}
