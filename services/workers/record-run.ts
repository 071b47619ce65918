/** Records that a loop ran and how it ended, for GET /health. */
import { query } from '../../entities/query.ts';
import { loggableError } from '../../errors/loggable-error.ts';
import type { Context } from '../context.ts';
import type { WorkerLoopName } from './worker-loops.ts';

const RECORD = `
  insert into worker_states as w (name, last_run_at, last_ok_at, last_error) values ($1, $2, $3, $4)
  on conflict (name) do update set last_run_at = excluded.last_run_at,
    last_ok_at = coalesce(excluded.last_ok_at, w.last_ok_at), last_error = excluded.last_error`;

/** @param error what ended the run; null when it succeeded */
export async function recordRun(context: Context, name: WorkerLoopName, error: Error | null): Promise<void> {
  const now = context.clock.now();
  const described = error === null ? null : loggableError(error);
  // The message of a database error can contain the values of its statement.
  const lastError = described === null ? null : [described.code, described.message].filter(Boolean).join(': ');
  await query(context.db.em(), RECORD, [name, now, error === null ? now : null, lastError]);
}
