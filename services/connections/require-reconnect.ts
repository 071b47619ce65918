/** Records on a connection that its account must be reconnected, after a call other than a send. */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { storableText } from '../storable-text.ts';

const noteReconnect = statement('note that a connection must be reconnected', {
  parameters: { connectionId: 'uuid', now: 'timestamptz', reason: 'text' },
  sql: ({ connectionId, now, reason }) => `
    update connections set reconnect_since = coalesce(reconnect_since, ${now}), reconnect_reason = ${reason},
      reconnect_told_by = coalesce(reconnect_told_by, 'send')
    where id = ${connectionId} and deleted_at is null`,
});

/** Keeps the first time, and replaces the reason with the latest. */
export async function requireReconnect(context: Context, connectionId: string, reason: string): Promise<void> {
  await noteReconnect(context.db.queries, { connectionId, now: context.clock.now(), reason: storableText(reason) });
}
