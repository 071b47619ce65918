/** Removes audit entries after their retention time. */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { earliestId } from '../ids.ts';

/** How long an entry is kept: a year, plus a month to review it. */
export const AUDIT_KEPT_DAYS = 400;

const DAY_MS = 86_400_000;

/** Most entries in one statement. */
const AT_ONCE = 1_000;

// Ids sort by time, so the primary key finds the oldest entries.
const OLD_ENTRIES = `
  delete from audit_entries where id in (
    select id from audit_entries where id < $1 order by id limit ${AT_ONCE}) returning id`;

export async function tidyAudit(context: Context): Promise<void> {
  const before = earliestId(new Date(context.clock.now().getTime() - AUDIT_KEPT_DAYS * DAY_MS));
  let removed: unknown[];
  do removed = await query(context.db.em(), OLD_ENTRIES, [before]);
  while (removed.length === AT_ONCE);
}
