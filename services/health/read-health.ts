/**
 * Health of the service: its database, and whether its workers completed their rounds
 * (docs/contract/running.md#health).
 */
import { type Tables, tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { dateOrNull, timestamp, timestampOrNull } from '../timestamp.ts';
import { isOnTime, type WorkerLoopName } from '../workers/worker-loops.ts';
import type { WithStartup } from './startup.ts';

export interface WorkerCheck {
  ok: boolean;
  lastRunAt: string | null;
  lastOkAt: string | null;
}

export interface Health {
  status: 'ok' | 'degraded';
  checks: {
    database: { ok: boolean; latencyMs: number };
    scheduledPosts: WorkerCheck;
    webhookDeliveries: WorkerCheck;
    xUsageSweep: WorkerCheck;
  };
  version: string;
  time: string;
}

/** Real milliseconds after which a database that does not answer counts as down. */
const DATABASE_TIMEOUT_MS = 3_000;

type WorkerRow = Pick<Tables['worker_states'], 'name' | 'started_at' | 'last_run_at' | 'last_ok_at'>;

/** Never throws: a database that does not answer is a result, not a failure. */
export async function readHealth(context: Context & WithStartup): Promise<Health> {
  const started = context.clock.elapsed();
  const rows = await readWorkers(context);
  const database = { ok: rows !== null, latencyMs: Math.round(context.clock.elapsed() - started) };
  const now = context.clock.now();
  const check = (name: WorkerLoopName) => checkWorker(name, rows ?? [], now);
  const workers = {
    scheduledPosts: check('scheduledPosts'),
    webhookDeliveries: check('webhookDeliveries'),
    xUsageSweep: check('xUsageSweep'),
  };
  const isOk = context.startup.hasEnded && database.ok && Object.values(workers).every(({ ok }) => ok);
  return {
    status: isOk ? 'ok' : 'degraded',
    checks: { database, ...workers },
    version: context.version,
    time: timestamp(now),
  };
}

/** One query checks the database and reads what the workers have recorded; null when it does not answer. */
async function readWorkers(context: Context): Promise<WorkerRow[] | null> {
  const query = tables(context.db.em())
    .selectFrom('worker_states')
    .select(['name', 'started_at', 'last_run_at', 'last_ok_at']);
  const answered = query.execute().catch(() => null);
  const deadline = context.clock.deadline(DATABASE_TIMEOUT_MS);
  const expired = new Promise<null>((resolve) => {
    if (deadline.aborted) resolve(null);
    deadline.addEventListener('abort', () => resolve(null), { once: true });
  });
  return Promise.race([answered, expired]);
}

function checkWorker(name: WorkerLoopName, rows: readonly WorkerRow[], now: Date): WorkerCheck {
  const row = rows.find((candidate) => candidate.name === name);
  const lastOkAt = row?.last_ok_at ?? null;
  return {
    ok: isOnTime(name, { startedAt: dateOrNull(row?.started_at ?? null), lastOkAt: dateOrNull(lastOkAt) }, now),
    lastRunAt: timestampOrNull(row?.last_run_at ?? null),
    lastOkAt: timestampOrNull(lastOkAt),
  };
}
