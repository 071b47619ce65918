/** Closes the connect sessions whose time is over, and drops what they held. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

export async function closeConnectSessions(context: Context): Promise<void> {
  const sql = `update connect_sessions set status = 'expired', flow = null where status = 'pending' and expires_at <= $1`;
  await query(context.db.em(), sql, [context.clock.now()]);
}
