/**
 * A worker: Agenda triggers the loops. Each worker has its own Agenda jobs, so any number of workers process the same
 * backlog in parallel. Only claims on the rows decide what is sent, so losing Agenda's table loses nothing.
 */
import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda } from 'agenda';
import { Pool } from 'pg';
import type { Context } from '../services/context.ts';
import { WORKER_LOOPS } from '../services/workers/worker-loops.ts';
import { agendaPoolOn } from './agenda-pool.ts';
import { loops } from './index.ts';
import type { Loop } from './loop.ts';
import { runRound } from './run-round.ts';

/** Longest wait between two checks for due work: work that another process schedules is found this soon. */
const LOOK_EVERY_MS = 250;

/** How long Agenda keeps a job locked if the process that locked it never returns. */
const LOCK_LIFETIME_MS = 60_000;

export interface Worker {
  /** Starts nothing new and resolves when the current round is over; does not wait for sends in progress. */
  stop(): Promise<void>;
}

export async function startWorker(context: Context): Promise<Worker> {
  const stopping = new AbortController();
  const pool = agendaPool(context);
  const name = `worker-${context.random.uuid()}`;
  const backend = await openBackend(context, pool);
  const agenda = new Agenda({
    backend,
    name,
    processEvery: 1_000,
    defaultLockLifetime: LOCK_LIFETIME_MS,
    defaultConcurrency: 1,
  });
  agenda.on('error', (error: Error) => context.log.error({ err: error }, 'the alarm clock failed'));
  const alarms = loops.map((loop) => ({
    loop,
    alarm: `${loop.name}@${name}`,
    runner: createLoopRunner(context, loop, stopping.signal),
  }));
  // oxlint-disable-next-line typescript/no-misused-promises -- it waits for promises too; its types name the callback form first
  for (const { alarm, runner } of alarms) agenda.define(alarm, () => runner.tick());
  await agenda.start();
  for (const { loop, alarm } of alarms) await agenda.every(`${WORKER_LOOPS[loop.name].everySeconds} seconds`, alarm);
  return {
    stop: async () => {
      stopping.abort();
      await agenda.drain(5_000);
      await Promise.all(alarms.map(({ runner }) => runner.idle()));
      await agenda.cancel({ names: alarms.map(({ alarm }) => alarm) });
      await agenda.stop();
      if (context.db.engine === 'postgres') await pool.end();
    },
  };
}

interface LoopRunner {
  /** Processes due work until the next trigger takes over; resolves when the first round is done. */
  tick(): Promise<void>;
  /** Resolves when no work is running. */
  idle(): Promise<void>;
}

// Agenda leaves a gap between two triggers, as long as its own polling interval. Therefore the work of one trigger ends
// only when the next trigger starts its own.
function createLoopRunner(context: Context, loop: Loop, stopped: AbortSignal): LoopRunner {
  let over = new AbortController();
  let kept = Promise.resolve();
  return {
    tick: async () => {
      over.abort();
      await kept;
      over = new AbortController();
      const until = AbortSignal.any([over.signal, stopped]);
      const round = runRound(context, loop, until);
      kept = round.then(() => keepTime(context, loop, until));
      await round;
    },
    idle: () => kept,
  };
}

/** Runs a loop whenever work falls due, at the exact instant, until `over` aborts. */
async function keepTime(context: Context, loop: Loop, over: AbortSignal): Promise<void> {
  // Due work that cannot start, because its concurrency limit is reached, must not cause a busy loop.
  let stuck = false;
  while (loop.nextDueAt !== undefined && !over.aborted) {
    // When the database does not answer, the next trigger follows within seconds and records the failure.
    const due = await loop.nextDueAt(context).catch(() => null);
    const wait = due === null ? LOOK_EVERY_MS : due.getTime() - context.clock.now().getTime();
    const least = stuck ? LOOK_EVERY_MS : 0;
    await context.clock.sleep(Math.min(Math.max(wait, least), LOOK_EVERY_MS), over).catch(() => undefined);
    stuck = false;
    if (due !== null && due <= context.clock.now() && !over.aborted) {
      stuck = (await runRound(context, loop, over)) === 0;
    }
  }
}

function agendaPool(context: Context): Pool {
  const { lite } = context.db;
  if (lite !== undefined) return agendaPoolOn(lite);
  const pool = new Pool({ connectionString: context.config.databaseUrl, max: 3 });
  pool.on('error', (error) => context.log.warn({ err: error }, 'an idle connection of the alarm clock was lost'));
  return pool;
}

// Two workers that create Agenda's table at once conflict, so it is created under the migration lock.
async function openBackend(context: Context, pool: Pool): Promise<PostgresBackend> {
  await context.db.withMigrationLock(async () => {
    await new PostgresBackend({ pool, disableNotifications: true }).connect();
  });
  return new PostgresBackend({ pool, disableNotifications: true, ensureSchema: false });
}
