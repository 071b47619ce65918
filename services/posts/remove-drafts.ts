/** Removes the rows of drafts, in the transaction of the caller. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';

/**
 * A draft that was a failed post has rows in the send ledger: a key whose posts need approval asked to send it again
 * (docs/contract/approvals.md). They are removed with it.
 *
 * @returns the ids of those that were drafts still
 */
export async function removeDrafts(em: SqlEntityManager, ids: readonly string[]): Promise<string[]> {
  const locked = await tables(em)
    .selectFrom('posts')
    .select('id')
    .where('id', '=', anyOf(ids))
    .where('status', '=', 'draft')
    .orderBy('id')
    .forUpdate()
    .execute();
  const removed = locked.map(({ id }) => id);
  if (removed.length === 0) return [];
  await tables(em).deleteFrom('attempts').where('post_id', '=', anyOf(removed)).execute();
  await tables(em).deleteFrom('posts').where('id', '=', anyOf(removed)).execute();
  return removed;
}
