/** Takes connections out of use; shared by disconnecting one and by deleting a whole profile. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Connection } from '../../entities/connection.ts';
import { Post } from '../../entities/post.ts';
import type { Context } from '../context.ts';
import { connectionEvent } from '../events/connection-event.ts';
import { storeEvents } from '../events/store-events.ts';
import type { Caller } from '../access/caller.ts';

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
  const connectionId = { $in: connections.map(({ id }) => id) };
  if (connections.length > 0) {
    await em.nativeUpdate(
      Post,
      { connectionId, status: 'scheduled' },
      { status: 'cancelled', stopId: null, held: false },
    );
  }
}
