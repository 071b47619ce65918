/**
 * Moves queued posts whose slots have passed, in their order, each to the next free slot
 * (docs/contract/scheduling.md#late-posts, docs/contract/scheduling.md#slots).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import { type Failure, failWaiting, type Move, reschedule, type WaitingRow } from './move-waiting.ts';
import { nextFreeSlot, type Queue, withTaken } from './slots.ts';

/**
 * @param queue locked
 * @param rows locked, in their order
 */
export async function moveToFreeSlots(
  context: Context,
  em: SqlEntityManager,
  queue: Queue,
  rows: readonly WaitingRow[],
): Promise<void> {
  const now = context.clock.now();
  const moves: Move[] = [];
  const failures: Failure[] = [];
  let present = queue;
  for (const row of rows) {
    const slot = nextFreeSlot(present, now);
    if (slot === null) {
      failures.push({ row, error: missedError(row) });
    } else {
      moves.push({ row, time: slot, slot, reason: 'missed_slot' });
      present = withTaken(present, slot);
    }
  }
  await reschedule(context, em, moves);
  await failWaiting(context, em, failures);
}

function missedError(row: WaitingRow) {
  const missed = row.scheduled_for === null ? '' : ` at ${new Date(row.scheduled_for).toISOString()}`;
  return {
    code: 'slot_missed' as const,
    message: `The queue slot${missed} passed without sending, and no slot of the connection "${row.connection_slug}" is free in the next 30 days.`,
  };
}
