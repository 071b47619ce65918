/** A loop that a worker runs: what one round does, and when its next work is due. */
import type { Context } from '../services/context.ts';
import type { WorkerLoopName } from '../services/workers/worker-loops.ts';

export interface Loop {
  readonly name: WorkerLoopName;
  /**
   * Starts everything that is due now. Safe to run twice, and in parallel in many processes.
   *
   * @param signal aborts when the worker is asked to stop: nothing new is started then
   * @returns how many units of work were started
   */
  run(context: Context, signal: AbortSignal): Promise<number>;
  /**
   * When the next work of this loop is due, null when none is pending; absent for a loop whose work has no due time.
   */
  nextDueAt?(context: Context): Promise<Date | null>;
}
