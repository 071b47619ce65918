/** Closes expired connect sessions, deletes their stored data, and deletes sessions that ended long ago. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** How long an ended session can still be read. */
const KEPT_MS = 30 * 86_400_000;

export async function closeConnectSessions(context: Context): Promise<void> {
  const now = context.clock.now();
  const close = `update connect_sessions set status = 'expired', flow = null where status = 'pending' and expires_at <= $1`;
  await query(context.db.em(), close, [now]);
  const forget = `delete from connect_sessions where status <> 'pending' and expires_at <= $1`;
  await query(context.db.em(), forget, [new Date(now.getTime() - KEPT_MS)]);
}
