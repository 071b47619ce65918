/** Finds the connections that a filter names. */
import { tables } from '../../entities/tables.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns ids without checking access; the query on posts restricts them to the caller's posts.
 *
 * @param name id of a connection, or a slug: every connection of the account that has it, including deleted ones
 */
export async function connectionsNamed(context: Context, caller: Caller, name: string): Promise<string[]> {
  if (UUID.test(name)) return [name.toLowerCase()];
  const rows = await tables(context.db.queries)
    .selectFrom('connections')
    .select('id')
    .where('account_id', '=', caller.accountId)
    .where('slug', '=', name)
    .execute();
  return rows.map(({ id }) => id);
}
