/**
 * Health of the service: its database, its backups, and whether its workers completed their rounds
 * (docs/contract/running.md#health).
 */
import { type Tables, tables } from '../../entities/tables.ts';
import type { WithBackups } from '../backups/backup-schedule.ts';
import type { Context } from '../context.ts';
import { dateOrNull, timestamp, timestampOrNull } from '../timestamp.ts';
import { acceptsWrites } from './accepts-writes.ts';
import { withinDatabaseTimeout } from './database-timeout.ts';
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
    /** Absent without a schedule. */
    backups?: WorkerCheck;
  };
  version: string;
  time: string;
}

type WorkerRow = Pick<Tables['worker_states'], 'name' | 'started_at' | 'last_run_at' | 'last_ok_at'> &
  Pick<Tables['database_marks'], 'held_until'>;

/** Never throws: a database that does not answer is a result, not a failure. */
export async function readHealth(context: Context & WithStartup & WithBackups): Promise<Health> {
  const started = context.clock.elapsed();
  const [isWritable, rows] = await Promise.all([acceptsWrites(context), readWorkers(context)]);
  const database = { ok: isWritable && rows !== null, latencyMs: Math.round(context.clock.elapsed() - started) };
  const now = context.clock.now();
  const check = (name: WorkerLoopName) => checkWorker(name, rows ?? [], now);
  const workers = {
    scheduledPosts: withHold(check('scheduledPosts'), rows ?? []),
    webhookDeliveries: check('webhookDeliveries'),
    xUsageSweep: check('xUsageSweep'),
    ...checkBackups(context),
  };
  const isOk = context.startup.hasEnded && database.ok && Object.values(workers).every(({ ok }) => ok);
  return {
    status: isOk ? 'ok' : 'degraded',
    checks: { database, ...workers },
    version: context.version,
    time: timestamp(now),
  };
}

/** What the workers have recorded; null when the database does not answer. */
async function readWorkers(context: Context): Promise<WorkerRow[] | null> {
  const query = tables(context.db.queries)
    .selectFrom('worker_states')
    .select(['name', 'started_at', 'last_run_at', 'last_ok_at'])
    .select((eb) => eb.selectFrom('database_marks').select('held_until').as('held_until'));
  return withinDatabaseTimeout(context, query.execute());
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

function checkBackups({ backups }: WithBackups): { backups?: WorkerCheck } {
  const state = backups.state();
  if (state === null) return {};
  const { isOk, lastTriedAt, newestAt } = state;
  return { backups: { ok: isOk, lastRunAt: timestampOrNull(lastTriedAt), lastOkAt: timestampOrNull(newestAt) } };
}

/** Posts that are held after a restore wait for the operator, however well the workers run. */
function withHold(check: WorkerCheck, rows: readonly WorkerRow[]): WorkerCheck {
  return { ...check, ok: check.ok && rows.every(({ held_until }) => held_until === null) };
}
