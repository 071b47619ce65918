/** Records on a connection that its account must be reconnected, after a call other than a send. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { storableText } from '../posts/ledger.ts';

const NOTE = `
  update connections set reconnect_since = coalesce(reconnect_since, $2), reconnect_reason = $3, reconnect_told_by = coalesce(reconnect_told_by, 'send')
  where id = $1 and deleted_at is null`;

/** Keeps the first time, and replaces the reason with the latest. */
export async function requireReconnect(context: Context, connectionId: string, reason: string): Promise<void> {
  await query(context.db.em(), NOTE, [connectionId, context.clock.now(), storableText(reason)]);
}
