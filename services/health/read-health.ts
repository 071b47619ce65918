/** How the service is: its database, and whether its workers did their rounds (spec: GET /health). */
import { WorkerState } from '../../entities/worker-state.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import { isOnTime, type WorkerLoopName } from '../workers/worker-loops.ts';

export interface WorkerCheck {
  ok: boolean;
  lastRunAt: string | null;
  lastOkAt: string | null;
}

export interface Health {
  status: 'ok' | 'degraded';
  checks: { database: { ok: boolean; latencyMs: number }; scheduledPosts: WorkerCheck; xUsageSweep: WorkerCheck };
  version: string;
  time: string;
}

/** Real milliseconds the database may take to answer before it counts as down. */
const DATABASE_TIMEOUT_MS = 3_000;

/** Never throws: a database that does not answer is a finding, not a failure. */
export async function readHealth(context: Context): Promise<Health> {
  const database = await checkDatabase(context);
  const scheduledPosts = await checkWorker(context, 'scheduledPosts', database.ok);
  const xUsageSweep = await checkWorker(context, 'xUsageSweep', database.ok);
  return {
    status: database.ok && scheduledPosts.ok && xUsageSweep.ok ? 'ok' : 'degraded',
    checks: { database, scheduledPosts, xUsageSweep },
    version: context.version,
    time: timestamp(context.clock.now()),
  };
}

async function checkDatabase(context: Context): Promise<{ ok: boolean; latencyMs: number }> {
  const started = performance.now();
  const answered = query(context.db.em(), 'select 1').then(
    () => true,
    () => false,
  );
  const deadline = context.clock.deadline(DATABASE_TIMEOUT_MS);
  const expired = new Promise<boolean>((resolve) => {
    if (deadline.aborted) resolve(false);
    deadline.addEventListener('abort', () => resolve(false), { once: true });
  });
  const ok = await Promise.race([answered, expired]);
  return { ok, latencyMs: Math.round(performance.now() - started) };
}

async function checkWorker(context: Context, name: WorkerLoopName, databaseOk: boolean): Promise<WorkerCheck> {
  const state = databaseOk ? await context.db.em().findOne(WorkerState, { name }) : null;
  const lastOkAt = state?.lastOkAt ?? null;
  return {
    ok: isOnTime(name, lastOkAt, context.clock.now()),
    lastRunAt: timestampOrNull(state?.lastRunAt ?? null),
    lastOkAt: timestampOrNull(lastOkAt),
  };
}
