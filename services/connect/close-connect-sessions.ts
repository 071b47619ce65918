/** Closes expired connect sessions, deletes their stored data, and deletes sessions that ended long ago. */
import { ConnectSession } from '../../entities/connect-session.ts';
import type { Context } from '../context.ts';

/** How long an ended session can still be read. */
const KEPT_MS = 30 * 86_400_000;

export async function closeConnectSessions(context: Context): Promise<void> {
  const now = context.clock.now();
  const em = context.db.em();
  const expired = { status: 'pending', expiresAt: { $lte: now } } as const;
  await em.nativeUpdate(ConnectSession, expired, { status: 'expired', flow: null });
  const keptSince = new Date(now.getTime() - KEPT_MS);
  await em.nativeDelete(ConnectSession, { status: { $ne: 'pending' }, expiresAt: { $lte: keptSince } });
}
