/**
 * Runs a loop in this worker, beside the same loop of every other worker: at the exact instant when work falls due, and
 * regularly besides. The claims on the rows decide which worker does what.
 */
import { WORKER_LOOPS } from '../services/workers/worker-loops.ts';
import type { Loop, LoopContext } from './loop.ts';
import { runRound } from './run-round.ts';

/** Longest wait between two checks for due work: work that another process schedules is found this soon. */
const POLL_INTERVAL_MS = 250;

/** Resolves when `stopped` has aborted and the round in progress is over. */
export async function runDueLoop(context: LoopContext, loop: Loop, stopped: AbortSignal): Promise<void> {
  const everyMs = WORKER_LOOPS[loop.name].everySeconds * 1_000;
  let regularAt = -Infinity;
  // Due work that cannot start, because its concurrency limit is reached, must not cause a busy loop.
  let isStuck = false;
  while (!stopped.aborted) {
    const isRegular = context.clock.elapsed() >= regularAt;
    // When the database does not answer, the next regular round follows within seconds and records the failure.
    const due = isRegular ? null : await nextDueAt(context, loop);
    const isDue = due !== null && due <= context.clock.now();
    if (isRegular || (isDue && !isStuck)) {
      if (isRegular) regularAt = context.clock.elapsed() + everyMs;
      const begun = await runRound(context, loop, stopped);
      isStuck = isDue && begun === 0;
      continue;
    }
    isStuck = false;
    const wait = due === null || isDue ? POLL_INTERVAL_MS : due.getTime() - context.clock.now().getTime();
    await context.clock.sleep(Math.min(Math.max(wait, 0), POLL_INTERVAL_MS), stopped).catch(() => undefined);
  }
}

async function nextDueAt(context: LoopContext, loop: Loop): Promise<Date | null> {
  return (await loop.nextDueAt?.(context).catch(() => null)) ?? null;
}
