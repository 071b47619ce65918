/** Removes audit entries after their retention time. */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';

/** How long an entry is kept: a year, plus a month to review it. */
export const AUDIT_KEPT_DAYS = 400;

const DAY_MS = 86_400_000;

/** Most entries in one statement. */
const AT_ONCE = 1_000;

export async function cleanUpAudit(context: Context): Promise<void> {
  const before = earliestId(new Date(context.clock.now().getTime() - AUDIT_KEPT_DAYS * DAY_MS));
  let removed: unknown[];
  // Ids sort by time, so the primary key finds the oldest entries.
  const oldEntries = tables(context.db.em()).selectFrom('audit_entries').select('id').where('id', '<', before);
  const oldest = oldEntries.orderBy('id').limit(AT_ONCE);
  do
    removed = await tables(context.db.em())
      .deleteFrom('audit_entries')
      .where('id', 'in', oldest)
      .returning('id')
      .execute();
  while (removed.length === AT_ONCE);
}
