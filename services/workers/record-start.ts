/**
 * Records that a worker has started: its loops are not late in their first two minutes
 * (docs/contract/running.md#health).
 */
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { WORKER_LOOPS } from './worker-loops.ts';

/**
 * A worker that restarts repeatedly without one successful round gets this grace period once per interval, and is late
 * in between.
 */
const WITHOUT_SUCCESS_MS = 3_600_000;

const RECORD = `
  insert into worker_states as w (name, started_at) select unnest($1::text[]), $2
  on conflict (name) do update set started_at = case
    when w.started_at > $3 and (w.last_ok_at is null or w.last_ok_at < w.started_at) then w.started_at
    else excluded.started_at end`;

export async function recordStart(context: Context): Promise<void> {
  const now = context.clock.now();
  const before = new Date(now.getTime() - WITHOUT_SUCCESS_MS);
  await query(context.db.em(), RECORD, [Object.keys(WORKER_LOOPS), now, before]);
}
