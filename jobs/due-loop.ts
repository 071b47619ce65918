/**
 * Runs a loop in this worker, beside the same loop of every other worker: at the exact instant when work falls due, and
 * regularly besides. The claims on the rows decide which worker does what.
 */
import type { Clock } from '../services/clock.ts';
import { WORKER_LOOPS } from '../services/workers/worker-loops.ts';
import type { Loop, LoopContext } from './loop.ts';
import { runRound } from './run-round.ts';

/** Shortest time between two looks at when work is due, and between two looks for work of other processes. */
const LOOK_AGAIN_MS = 250;

/**
 * Shortest time between two regular rounds of a worker that is told of every change. A process on a server may die between a
 * change and its notification; to an embedded database only this process writes.
 */
const REGULAR_AFTER_MS = { postgres: 10_000, pglite: 60_000 } as const;

/** Longest wait without a look at the clock, which may be set meanwhile. That asks the database nothing. */
const CLOCK_LOOK_MS = 10_000;

/** Resolves when `stopped` has aborted and the round in progress is over. */
export async function runDueLoop(context: LoopContext, loop: Loop, stopped: AbortSignal): Promise<void> {
  const rows = listenForChanges(context, stopped);
  const everyMs = WORKER_LOOPS[loop.name].everySeconds * 1_000;
  const regularAfterMs = REGULAR_AFTER_MS[context.db.engine];
  let regularAt = -Infinity;
  // Due work that cannot start, because its concurrency limit is reached, must not cause a busy loop.
  let isStuck = false;
  while (!stopped.aborted) {
    const isRegular = context.clock.elapsed() >= regularAt;
    rows.forget();
    const lookedAt = context.clock.elapsed();
    const due = isRegular ? null : await nextDueAt(context, loop);
    const isDue = due !== null && due <= context.clock.now();
    if (isRegular || (isDue && !isStuck)) {
      if (isRegular) regularAt = context.clock.elapsed() + Math.max(everyMs, rows.areComplete() ? regularAfterMs : 0);
      const begun = await runRound(context, loop, stopped);
      isStuck = isDue && begun === 0;
      continue;
    }
    isStuck = false;
    const newWorkWithinMs = loop.newWorkWithinMs ?? LOOK_AGAIN_MS;
    const untilDue = () => (due === null ? Infinity : due.getTime() - context.clock.now().getTime());
    const untilRegular = () => regularAt - context.clock.elapsed();
    if (isDue || !rows.areComplete()) {
      const wait = isDue ? LOOK_AGAIN_MS : Math.min(untilDue(), newWorkWithinMs);
      await pause(context.clock, Math.min(wait, untilRegular()), stopped);
      continue;
    }
    const changed = await waitForChange(rows, () => Math.min(untilDue(), untilRegular()), stopped);
    // Changes that follow each other are answered with one look.
    const spacing = Math.min(newWorkWithinMs - (context.clock.elapsed() - lookedAt), untilDue());
    if (changed && spacing > 0) await pause(context.clock, spacing, stopped);
  }
  rows.stop();
}

/** When the database does not answer, the time of the next look. The next regular round records the failure. */
async function nextDueAt(context: LoopContext, loop: Loop): Promise<Date | null> {
  const lookAgain = () => new Date(context.clock.now().getTime() + CLOCK_LOOK_MS);
  return (await loop.nextDueAt?.(context).catch(lookAgain)) ?? null;
}

/**
 * @param untilNext milliseconds until something else is to be done; asked again after each look at the clock
 * @returns whether rows changed before that
 */
async function waitForChange(rows: ObservedRows, untilNext: () => number, stopped: AbortSignal): Promise<boolean> {
  for (;;) {
    const wait = untilNext();
    if (wait <= 0 || stopped.aborted) return false;
    if (await rows.wait(Math.min(wait, CLOCK_LOOK_MS))) return true;
  }
}

async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  await clock.sleep(Math.max(ms, 0), signal).catch(() => undefined);
}

/** Without a reason, each abort makes an error with its stack. */
const CHANGED = 'rows changed';

/** Whether rows have changed since a loop looked at them last. */
interface ObservedRows {
  /** Whether the changes of all processes count now. */
  areComplete(): boolean;
  /** Changes until now do not count. */
  forget(): void;
  /** Resolves to true with the first change that counts, to false after `ms` milliseconds, or when the worker stops. */
  wait(ms: number): Promise<boolean>;
  stop(): void;
}

function listenForChanges({ clock, db: { changes } }: LoopContext, stopped: AbortSignal): ObservedRows {
  let changed = new AbortController();
  const stop = changes.listen(() => changed.abort(CHANGED));
  return {
    areComplete: () => changes.isComplete,
    forget: () => {
      if (changed.signal.aborted) changed = new AbortController();
    },
    wait: async (ms) => {
      await pause(clock, ms, AbortSignal.any([stopped, changed.signal]));
      return changed.signal.aborted;
    },
    stop,
  };
}
