/** A loop that a worker runs: what one round does, and when its next work is due. */
import type { WithBackups } from '../services/backups/backup-schedule.ts';
import type { Context } from '../services/context.ts';
import type { WithStartup } from '../services/health/startup.ts';
import type { WithMissingCharges } from '../services/plans/write-missing-charges.ts';
import type { WithRestoreWatch } from '../services/restores/restore-watch.ts';
import type { WithCreations } from '../services/posts/create-posts.ts';
import type { WithReceivers } from '../services/webhooks/receivers.ts';
import type { WithDispatcher } from '../services/webhooks/webhook-dispatcher.ts';
import type { WorkerLoopName } from '../services/workers/worker-loops.ts';

/** What loops work with. */
export interface LoopContext
  extends
    Context,
    WithCreations,
    WithRestoreWatch,
    WithReceivers,
    WithDispatcher,
    WithStartup,
    WithBackups,
    WithMissingCharges {}

export interface Loop {
  readonly name: WorkerLoopName;
  /** Whether a worker that starts asks for a round at once, for a periodic loop with a long period. */
  readonly runsAtStart?: true;
  /**
   * Milliseconds within which a worker notices work that another process has made due sooner than all other. Default 250.
   */
  readonly newWorkWithinMs?: number;
  /**
   * Starts everything that is due now. Safe to run twice, and in parallel in many processes.
   *
   * @param signal aborts when the worker is asked to stop: nothing new is started then
   * @returns how many units of work were started
   */
  run(context: LoopContext, signal: AbortSignal): Promise<number>;
  /**
   * When the next work of this loop is due, null when none is pending. Every worker runs such a loop, because its work
   * must not wait. It is absent for periodic work, which runs once a period over all workers.
   */
  nextDueAt?(context: LoopContext): Promise<Date | null>;
}
