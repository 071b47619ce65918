/**
 * Records that a worker has started: its loops are not late in their first two minutes
 * (docs/contract/running.md#health).
 */
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { WORKER_LOOPS } from './worker-loops.ts';

/**
 * A worker that restarts repeatedly without one successful round gets this grace period once per interval, and is late
 * in between.
 */
const WITHOUT_SUCCESS_MS = 3_600_000;

export async function recordStart(context: Context): Promise<void> {
  const now = context.clock.now();
  const before = new Date(now.getTime() - WITHOUT_SUCCESS_MS);
  await tables(context.db.queries)
    .insertInto('worker_states')
    .values(Object.keys(WORKER_LOOPS).map((name) => ({ name, started_at: now })))
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ eb, ref }) => {
        const startedAt = ref('worker_states.started_at');
        const hasNotSucceeded = eb.or([
          eb('worker_states.last_ok_at', 'is', null),
          eb('worker_states.last_ok_at', '<', startedAt),
        ]);
        const keepsStart = eb.and([eb(startedAt, '>', before.toISOString()), hasNotSucceeded]);
        return { started_at: eb.case().when(keepsStart).then(startedAt).else(ref('excluded.started_at')).end() };
      }),
    )
    .execute();
}
