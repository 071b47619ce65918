/**
 * Records a finished change in the audit, for pages and other callers outside the router. The entry is written in the
 * transaction of the change, so it exists exactly when the change does.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { type AuditOutcome, type Change, newEntry, storeEntries } from './store-entries.ts';

/** @param em transaction of the change; left out, the entry is written in its own transaction */
export async function recordChange(
  context: Context,
  change: Change & { readonly outcome: AuditOutcome },
  em: SqlEntityManager = context.db.em(),
): Promise<void> {
  await storeEntries(em, [newEntry(context, change, change.outcome)]);
}
