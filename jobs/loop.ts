/** A loop that a worker runs: what it does in one round, and when its next work falls due. */
import type { Context } from '../services/context.ts';
import type { WorkerLoopName } from '../services/workers/worker-loops.ts';

export interface Loop {
  readonly name: WorkerLoopName;
  /**
   * Starts everything that is due now. Safe to run twice, and side by side in many processes.
   *
   * @param signal aborts when the worker is asked to stop: nothing new is begun then
   * @returns how many pieces of work were begun
   */
  run(context: Context, signal: AbortSignal): Promise<number>;
  /** When the next work of this loop falls due, null when none waits; absent for a loop whose work has no instant. */
  nextDueAt?(context: Context): Promise<Date | null>;
}
