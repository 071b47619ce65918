/**
 * Writes a change that is over into the audit, for pages and whatever else is no operation of the router. In the
 * transaction that made the change, it is told exactly when the change is there.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { type AuditOutcome, type Change, newEntry, storeEntries } from './store-entries.ts';

/** @param em transaction of the change; left out, the entry is written by itself */
export async function recordChange(
  context: Context,
  change: Change & { readonly outcome: AuditOutcome },
  em: SqlEntityManager = context.db.em(),
): Promise<void> {
  await storeEntries(em, [newEntry(context, change, change.outcome)]);
}
