/** Settles deletions whose process ended before it stored their outcome. */
import { Attempt } from '../../entities/attempt.ts';
import type { Context } from '../context.ts';

/** A deletion without an outcome for this long was interrupted by the end of its process. */
const LOST_DELETE_MS = 600_000;

export async function settleLostDeletions(context: Context): Promise<void> {
  const now = context.clock.now().getTime();
  const lost = { state: 'sending', step: 'delete', startedAt: { $lt: new Date(now - LOST_DELETE_MS) } } as const;
  await context.db.em().nativeUpdate(Attempt, lost, { state: 'unknown', settledAt: new Date(now) });
}
