/**
 * Writes into the audit what was refused to somebody whom nobody knows, such as a wrong password for an address. Whether
 * there is an account to write it for must not show: without one the same statement writes nothing, and none waits for the disk.
 */
import type { Context } from '../context.ts';
import { type AuditOutcome, type Change, newEntry, storeIntents } from './store-entries.ts';

/** @param change null where no account is known. Not for a transaction. */
export async function recordRefusal(
  context: Context,
  change: (Change & { readonly outcome: AuditOutcome }) | null,
): Promise<void> {
  await storeIntents(context, change === null ? [] : [newEntry(context, change, change.outcome)]);
}
