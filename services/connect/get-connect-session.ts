/** Reads one connect session of the caller's. */
import { ConnectSession } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { type ConnectSessionView, connectSessionView } from './connect-session-view.ts';
import { noSession, reachableSessions } from './reachable-sessions.ts';

/** @throws ServiceError not_found */
export async function getConnectSession(context: Context, caller: Caller, id: string): Promise<ConnectSessionView> {
  const session = await context.db.em().findOne(ConnectSession, { ...Object(reachableSessions(caller)), id });
  if (session === null) throw noSession(id);
  return connectSessionView(session, context.clock.now());
}
