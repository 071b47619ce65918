/** Which loops of the workers are late, for the metrics. */
import { tables } from '../../entities/tables.ts';
import type { WithBackups } from '../backups/backup-schedule.ts';
import type { Context } from '../context.ts';
import { dateOrNull } from '../timestamp.ts';
import { isOnTime, WORKER_LOOPS, type WorkerLoopName } from '../workers/worker-loops.ts';
import { withinDatabaseTimeout } from './database-timeout.ts';

/** The loops that a worker has started once; null when the database does not answer. */
export async function readLoops(
  context: Context & WithBackups,
): Promise<{ readonly name: WorkerLoopName; readonly isLate: boolean }[] | null> {
  const query = tables(context.db.queries).selectFrom('worker_states').select(['name', 'started_at', 'last_ok_at']);
  const rows = await withinDatabaseTimeout(context, query.execute());
  const now = context.clock.now();
  return (
    rows?.flatMap(({ name, started_at, last_ok_at }) => {
      if (!isLoop(name)) return [];
      const recordedAt = dateOrNull(last_ok_at);
      // Its round takes as long as a backup does, and is recorded when it ends.
      const lastOkAt = name === 'backups' ? (context.backups.lastWorkedAt() ?? recordedAt) : recordedAt;
      const times = { startedAt: dateOrNull(started_at), lastOkAt };
      return [{ name, isLate: !isOnTime(name, times, now) }];
    }) ?? null
  );
}

function isLoop(name: string): name is WorkerLoopName {
  return Object.hasOwn(WORKER_LOOPS, name);
}
