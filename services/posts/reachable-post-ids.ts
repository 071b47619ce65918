/** Finds out which posts of a list a caller reaches. */
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';
import { reach } from './reachable-posts.ts';

/** @param ids UUIDs; unknown and foreign ones are left out of the answer alike */
export async function reachablePostIds(
  context: Context,
  caller: Caller,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await tables(context.db.queries)
    .selectFrom('posts')
    .select('id')
    .where('id', 'in', ids)
    .where((post) => post.and(reach(caller)))
    .execute();
  return new Set(rows.map(({ id }) => id));
}
