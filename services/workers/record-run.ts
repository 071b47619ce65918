/** Records that a loop ran and how it ended, for GET /health. */
import { tables } from '../../entities/tables.ts';
import { loggableError } from '../../errors/loggable-error.ts';
import type { Context } from '../context.ts';
import type { WorkerLoopName } from './worker-loops.ts';

/** @param error what ended the run; null when it succeeded */
export async function recordRun(context: Context, name: WorkerLoopName, error: Error | null): Promise<void> {
  const now = context.clock.now();
  const described = error === null ? null : loggableError(error);
  // The message of a database error can contain the values of its statement.
  const lastError = described === null ? null : [described.code, described.message].filter(Boolean).join(': ');
  await tables(context.db.queries)
    .insertInto('worker_states')
    .values({ name, last_run_at: now, last_ok_at: error === null ? now : null, last_error: lastError })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ fn, ref }) => ({
        last_run_at: ref('excluded.last_run_at'),
        last_ok_at: fn.coalesce('excluded.last_ok_at', 'worker_states.last_ok_at'),
        last_error: ref('excluded.last_error'),
      })),
    )
    .execute();
}
