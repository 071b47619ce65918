/** Ends an open connect session of the caller's: its link stops working. A session that has ended stays as it is. */
import { ConnectSession } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import type { ConnectSessionView } from './connect-session-view.ts';
import { failSession } from './end-session.ts';
import { getConnectSession } from './get-connect-session.ts';
import { noSession, reachableSessions } from './reachable-sessions.ts';

/**
 * @returns the session as it is now
 * @throws ServiceError not_found
 */
export async function cancelConnectSession(context: Context, caller: Caller, id: string): Promise<ConnectSessionView> {
  const session = await context.db.em().findOne(ConnectSession, { ...Object(reachableSessions(caller)), id });
  if (session === null) throw noSession(id);
  if (session.expiresAt > context.clock.now()) await failSession(context, session, 'cancelled');
  return getConnectSession(context, caller, id);
}
