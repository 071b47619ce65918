/**
 * Follows the changes of an account as they complete, for readers that show its present state. Most changes have no event:
 * a new draft, a renamed profile, a revoked key. The audit has an entry for each.
 */
import { type RowOf, statement } from '../../entities/statement.ts';
import { columns } from '../../entities/column-lists.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';

/**
 * Entries get their outcome in another order than they are stored, so those of this time are looked at again and again. A
 * change that takes longer is missed here; what sends and connects has events.
 */
const LOOK_BACK_MS = 60_000;

/** Most changes in one read. */
const CHANGES_MAX = 200;

const CHANGE = columns('audit_entries', ['id', 'operation', 'object_type', 'object_ids'], 'a');

// A token that was used twice is refused, and the refusal ends its grant.
const readCompleted = statement('read the changes that completed after others', {
  parameters: { accountId: 'uuid', after: 'uuid', known: 'uuid[]' },
  result: CHANGE.types,
  sql: ({ accountId, after, known }) => `
    select ${CHANGE.sql} from audit_entries a
    where a.account_id = ${accountId} and a.id > ${after} and a.id <> all(${known})
      and (a.outcome = 'ok' or a.operation = 'oauth.replay')
    order by a.id limit ${CHANGES_MAX}`,
});

/** A completed change. It says what to read again, not what the state is now. */
export type CompletedChange = RowOf<typeof readCompleted>;

/** @returns reads the changes that completed since its last call; the first time, since this one resolved */
export async function followChanges(
  context: Context,
  accountId: string,
): Promise<() => Promise<readonly CompletedChange[]>> {
  const known = new Set<string>();
  const read = async () => {
    const horizon = earliestId(new Date(context.clock.now().getTime() - LOOK_BACK_MS));
    for (const id of known) if (id <= horizon) known.delete(id);
    const changes = await readCompleted(context.db.queries, { accountId, after: horizon, known: [...known] });
    for (const { id } of changes) known.add(id);
    return changes;
  };
  await read();
  return read;
}
