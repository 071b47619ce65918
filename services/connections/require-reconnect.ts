/** Records on a connection that its account must be reconnected, after a call other than a send. */
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { storableText } from '../storable-text.ts';
import type { ConnectionCredential } from './connection-credential.ts';

const noteReconnect = statement('note that a connection must be reconnected', {
  parameters: { connectionId: 'uuid', refused: 'text?', now: 'timestamptz', reason: 'text' },
  sql: ({ connectionId, refused, now, reason }) => `
    update connections set reconnect_since = coalesce(reconnect_since, ${now}), reconnect_reason = ${reason},
      reconnect_told_by = coalesce(reconnect_told_by, 'send')
    where id = ${connectionId} and deleted_at is null and credentials = ${refused}`,
});

/**
 * Keeps the first time, and replaces the reason with the latest. Notes nothing when the account was connected again during
 * the call: the new credential was not refused.
 */
export async function requireReconnect(
  context: Context,
  { id: connectionId, lastUsed: refused }: ConnectionCredential,
  reason: string,
): Promise<void> {
  const now = context.clock.now();
  await noteReconnect(context.db.queries, { connectionId, refused, now, reason: storableText(reason) });
}
