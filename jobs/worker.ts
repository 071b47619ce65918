/**
 * A worker. It runs the loops that every worker runs, and takes part in the work that one worker at a time does for all
 * of them.
 */
import { runDueLoop } from './due-loop.ts';
import { dueLoops, periodicLoops } from './index.ts';
import type { LoopContext } from './loop.ts';
import { startPeriodicJobs } from './periodic-jobs.ts';

export interface Worker {
  /** Starts nothing new and resolves when the current rounds are over; does not wait for sends in progress. */
  stop(): Promise<void>;
}

export async function startWorker(context: LoopContext): Promise<Worker> {
  const stopping = new AbortController();
  const periodic = await startPeriodicJobs(context, periodicLoops);
  const due = dueLoops.map((loop) => runDueLoop(context, loop, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all([periodic.stop(), ...due]);
    },
  };
}
