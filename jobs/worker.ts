/**
 * A worker: Agenda rings, the loops work. Each worker has alarms of its own, so that any number of
 * them drain the same backlog side by side; what may be sent is decided by claims on the rows alone,
 * and losing Agenda's table loses nothing.
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

/** Longest wait between two looks for due work: what another process schedules is seen this soon. */
const LOOK_EVERY_MS = 250;

/** How long Agenda holds an alarm locked that its process never came back for. */
const LOCK_LIFETIME_MS = 60_000;

export interface Worker {
  /** Begins nothing new and resolves when the round under way is over; sends under way are not waited for. */
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
    keeper: createKeeper(context, loop, stopping.signal),
  }));
  // oxlint-disable-next-line typescript/no-misused-promises -- it waits for promises too; its types name the callback form first
  for (const { alarm, keeper } of alarms) agenda.define(alarm, () => keeper.ring());
  await agenda.start();
  for (const { loop, alarm } of alarms) await agenda.every(`${WORKER_LOOPS[loop.name].everySeconds} seconds`, alarm);
  return {
    stop: async () => {
      stopping.abort();
      await agenda.drain(5_000);
      await Promise.all(alarms.map(({ keeper }) => keeper.idle()));
      await agenda.cancel({ names: alarms.map(({ alarm }) => alarm) });
      await agenda.stop();
      if (context.db.engine === 'postgres') await pool.end();
    },
  };
}

interface Keeper {
  /** Works on what is due, and keeps at it until the next ring takes over; resolves when the first round is done. */
  ring(): Promise<void>;
  /** Resolves when nothing is kept at. */
  idle(): Promise<void>;
}

// Between two rings of Agenda there is always a gap, as long as its own look for alarms takes to come round. So a
// ring does not end the work of the one before until it begins its own.
function createKeeper(context: Context, loop: Loop, stopped: AbortSignal): Keeper {
  let over = new AbortController();
  let kept = Promise.resolve();
  return {
    ring: async () => {
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

/** Runs a loop to the instant whenever something falls due, until `over` aborts. */
async function keepTime(context: Context, loop: Loop, over: AbortSignal): Promise<void> {
  // What is due and could not be begun, because its lane is full, must not make this spin.
  let stuck = false;
  while (loop.nextDueAt !== undefined && !over.aborted) {
    // When the database does not answer, the next ring is seconds away, and notes it.
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

// Two workers creating Agenda's table at once trip over each other, so it is made under the migration lock.
async function openBackend(context: Context, pool: Pool): Promise<PostgresBackend> {
  await context.db.withMigrationLock(async () => {
    await new PostgresBackend({ pool, disableNotifications: true }).connect();
  });
  return new PostgresBackend({ pool, disableNotifications: true, ensureSchema: false });
}
