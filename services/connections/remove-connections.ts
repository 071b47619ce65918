/** Takes connections out of use; shared by disconnecting one and by deleting a whole profile. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Connection } from '../../entities/connection.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Caller } from '../access/caller.ts';

// Locks posts in the order of their ids, as everywhere, so that it cannot deadlock with another change of many posts.
const cancelWaiting = statement('cancel the waiting posts of connections', {
  parameters: { connectionIds: 'uuid[]' },
  sql: ({ connectionIds }) => `
    update posts p set status = 'cancelled', stop_id = null, held = false
    from (select w.id from posts w where w.connection_id = any(${connectionIds}) and w.status = 'scheduled'
      order by w.id for no key update of w) o
    where p.id = o.id and p.status = 'scheduled'`,
});

/**
 * In the caller's transaction, which has locked the rows. Removes credentials and cancels waiting posts; drafts and
 * sent posts stay. A send in progress finishes and is settled. Emits connection.removed.
 */
export async function removeConnections(
  context: Context,
  em: SqlEntityManager,
  caller: Caller,
  connections: readonly Connection[],
): Promise<void> {
  for (const connection of connections) {
    connection.deletedAt = context.clock.now();
    connection.credentials = null;
    connection.renewAt = null;
    connection.credentialEndsAt = null;
  }
  await em.flush();
  await storeEvents(
    em,
    connections.map((connection) => connectionEvent(context, caller, 'connection.removed', connection)),
  );
  if (connections.length > 0) await cancelWaiting(em, { connectionIds: connections.map(({ id }) => id) });
}
