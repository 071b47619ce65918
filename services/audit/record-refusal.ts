/**
 * Records a refusal of an unknown caller, such as a wrong password for an address. The response must not reveal whether
 * an account exists: without one, the same statement writes no row, and no refusal waits for the disk.
 */
import type { Context } from '../context.ts';
import { type AuditOutcome, type Change, newEntry, storeIntents } from './store-entries.ts';

/** @param change null when no account is known. Do not call it inside a transaction. */
export async function recordRefusal(
  context: Context,
  change: (Change & { readonly outcome: AuditOutcome }) | null,
): Promise<void> {
  await storeIntents(context, change === null ? [] : [newEntry(context, change, change.outcome)]);
}
