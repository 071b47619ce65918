/** Ends a connect session, and determines where the customer goes then. */
import { Connection } from '../../entities/connection.ts';
import { type ConnectError, ConnectSession } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';
import { withParameters } from './redirect-url.ts';

/** Fails a session that is still open; a session that ended meanwhile keeps its status. */
export async function failSession(context: Context, session: ConnectSession, error: ConnectError): Promise<void> {
  const changes = { status: 'failed' as const, error, flow: null };
  await context.db.em().nativeUpdate(ConnectSession, { id: session.id, status: 'pending' }, changes);
}

/** Leaving after the platform refused counts as giving up; before that it counts as cancelling. */
export async function leaveSession(context: Context, session: ConnectSession): Promise<void> {
  await failSession(context, session, session.refused ? 'connect_failed' : 'cancelled');
}

/** Address to redirect the customer to, with the result; null while the session is open or when it expired. */
export async function returnAddress(context: Context, sessionId: string): Promise<string | null> {
  const em = context.db.em();
  const session = await em.findOneOrFail(ConnectSession, { id: sessionId });
  const { id: connectSessionId, accountId, redirectUrl, connectionId, error } = session;
  if (session.status === 'failed' && error !== null && error !== undefined) {
    return withParameters(redirectUrl, { connectSessionId, error });
  }
  if (session.status !== 'connected' || connectionId === null || connectionId === undefined) return null;
  const { slug, platformId } = await em.findOneOrFail(Connection, { id: connectionId, accountId });
  return withParameters(redirectUrl, {
    connectSessionId,
    connectionId,
    ...(session.profileId != null && { profileId: session.profileId }),
    slug,
    platform: platformId,
  });
}
