/**
 * Disconnects an account: its credential is removed, waiting posts are cancelled, sent posts stay readable. Emits
 * connection.removed.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { lockConnection } from './lock-connection.ts';
import { removeConnections } from './remove-connections.ts';

/** @throws ServiceError not_found for an unknown, foreign or already deleted connection. */
export async function deleteConnection(context: Context, caller: Caller, connectionId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const connection = await lockConnection(em, caller, connectionId);
    await removeConnections(context, em, caller, [connection]);
  });
}
