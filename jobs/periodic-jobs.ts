/**
 * The work that one worker at a time does for all of them. Each loop is an Agenda job under its own name, so the lock
 * on that job's row decides which worker runs a period. Losing Agenda's table loses nothing: it is created again, and
 * every loop finds its work in the rows of the service.
 */
import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda, type Job } from 'agenda';
import type { Database } from '../entities/orm.ts';
import { timestamp } from '../services/timestamp.ts';
import { WORKER_LOOPS } from '../services/workers/worker-loops.ts';
import { type AgendaPool, openAgendaPool } from './agenda-pool.ts';
import { createJobTable } from './job-table.ts';
import type { Loop, LoopContext } from './loop.ts';
import { runRound } from './run-round.ts';

/** How closely workers follow the jobs, in milliseconds. */
export interface JobIntervals {
  /** How often each worker looks for jobs that fall due before its next look. It locks those, and starts each on time. */
  readonly lookEveryMs: number;
  /** For how long a job stays locked when the worker that runs it dies. A third of it passes until a running job extends its lock. */
  readonly lockedForMs: number;
  /** How often each worker repairs Agenda's table: jobs that it lacks, and those that wait for too long. */
  readonly repairEveryMs: number;
}

/**
 * A lock outlasts a look and its first extension. No other process takes over the jobs of an embedded database, and a start ends
 * their locks; each look of it takes the time of requests.
 */
const JOB_INTERVALS: Readonly<Record<Database['engine'], JobIntervals>> = {
  postgres: { lookEveryMs: 4_000, lockedForMs: 26_000, repairEveryMs: 30_000 },
  pglite: { lookEveryMs: 20_000, lockedForMs: 60_000, repairEveryMs: 30_000 },
};

/** The longest interruption of periodic work: the lock ends, and another worker looks for jobs. */
export const TAKEN_OVER_WITHIN_MS = JOB_INTERVALS.postgres.lockedForMs + JOB_INTERVALS.postgres.lookEveryMs;

/** How long a stop waits for Agenda to notice that a job is over. */
const DRAIN_MS = 5_000;

const MISSING = `
  select known.name from unnest($1::text[]) as known (name)
  where not exists (select 1 from agenda_jobs j where j.name = known.name)`;

/** Jobs that wait longer than their periods were planned before the clock was set back. */
const BRING_FORWARD = `
  update agenda_jobs j set next_run_at = $1 from unnest($2::text[], $3::timestamptz[]) as known (name, latest)
  where j.name = known.name and j.next_run_at > known.latest`;

const UNLOCK = 'update agenda_jobs set locked_at = null where last_modified_by = $1';

export interface PeriodicJobs {
  /** Starts nothing new, waits for the jobs in progress, and releases the locks of this worker. */
  stop(): Promise<void>;
}

export async function startPeriodicJobs(
  context: LoopContext,
  loops: readonly Loop[],
  intervals: JobIntervals = JOB_INTERVALS[context.db.engine],
): Promise<PeriodicJobs> {
  const stopping = new AbortController();
  // The process id is for operators: agenda_jobs.last_modified_by shows which worker ran a job.
  const name = `worker-${process.pid}-${context.random.uuid()}`;
  const connection = openAgendaPool(context);
  await createJobTable(context, connection.pool);
  const agenda = new Agenda({
    backend: new PostgresBackend({ pool: connection.pool, disableNotifications: true, ensureSchema: false }),
    name,
    processEvery: intervals.lookEveryMs,
    defaultLockLifetime: intervals.lockedForMs,
    defaultConcurrency: 1,
  });
  agenda.on('error', (error: Error) => context.log.error({ err: error }, 'Agenda failed'));
  const running = new Set<Promise<void>>();
  for (const loop of loops) {
    // oxlint-disable-next-line typescript/no-misused-promises -- it waits for promises too; its types name the callback form first
    agenda.define(loop.name, async (job) => {
      const run = runLocked(context, { loop, job, intervals }, stopping.signal);
      running.add(run);
      await run.finally(() => running.delete(run));
    });
  }
  // Rows of loops that earlier versions had.
  await agenda.purge();
  // No other process uses an embedded database, so these locks are of a process that died.
  if (context.db.engine === 'pglite') await connection.query('update agenda_jobs set locked_at = null');
  for (const loop of loops) {
    const job = await register(agenda, loop);
    if (loop.runsAtStart) await job.schedule('now').save();
  }
  await agenda.start();
  const repairing = keepRepaired(context, { agenda, loops, connection, intervals }, stopping.signal);
  return {
    stop: async () => {
      stopping.abort();
      await repairing;
      await agenda.drain(DRAIN_MS);
      await Promise.all(running);
      // Agenda locks jobs shortly before they are due, and drain() keeps those locks.
      await connection.query(UNLOCK, [name]).catch(() => undefined);
      await connection.close();
    },
  };
}

interface LockedJob {
  readonly loop: Loop;
  readonly job: Job;
  readonly intervals: JobIntervals;
}

/** Runs a round, and extends the lock on its job meanwhile. */
async function runLocked(
  context: LoopContext,
  { loop, job, intervals }: LockedJob,
  stopped: AbortSignal,
): Promise<void> {
  const over = new AbortController();
  const extending = extendLock(context, job, { everyMs: intervals.lockedForMs / 3, over: over.signal });
  await runRound(context, loop, stopped);
  over.abort();
  // An extension that arrived after the end would lock the job again.
  await extending;
}

async function extendLock(
  { clock }: LoopContext,
  job: Job,
  { everyMs, over }: { readonly everyMs: number; readonly over: AbortSignal },
): Promise<void> {
  while (!over.aborted) {
    await clock.sleep(everyMs, over).catch(() => undefined);
    if (!over.aborted) await job.touch().catch(() => undefined);
  }
}

/** Adds a job, due at once, unless the table has it. */
function register(agenda: Agenda, loop: Loop): Promise<Job> {
  return agenda.every(`${WORKER_LOOPS[loop.name].everySeconds} seconds`, loop.name);
}

interface Registered {
  readonly agenda: Agenda;
  readonly loops: readonly Loop[];
  readonly connection: AgendaPool;
  readonly intervals: JobIntervals;
}

async function keepRepaired(
  context: LoopContext,
  { agenda, loops, connection, intervals }: Registered,
  stopped: AbortSignal,
): Promise<void> {
  const names = loops.map(({ name }) => name);
  const repairAll = async () => {
    const { rows } = await connection.query(MISSING, [names]);
    const missing = new Set(rows.map(({ name }) => name));
    for (const loop of loops) if (missing.has(loop.name)) await register(agenda, loop);
    const now = context.clock.now();
    const latest = loops.map(({ name }) => new Date(now.getTime() + WORKER_LOOPS[name].everySeconds * 1000));
    // As texts: the connection takes a Date for a time of this machine.
    await connection.query(BRING_FORWARD, [timestamp(now), names, latest.map(timestamp)]);
  };
  while (!stopped.aborted) {
    await context.clock.sleep(intervals.repairEveryMs, stopped).catch(() => undefined);
    if (stopped.aborted) return;
    // When the database does not answer, the next time repairs it.
    await repairAll()
      .catch((error: unknown) => {
        if (!isTableMissing(error)) throw error;
        return createJobTable(context, connection.pool).then(repairAll);
      })
      .catch(() => undefined);
  }
}

/** SQLSTATE of an unknown table, on both engines. */
function isTableMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '42P01';
}
