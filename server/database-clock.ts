/**
 * The clock of processes that share a PostgreSQL database: the time of the database. Machines whose clocks differ then
 * agree on which posts are due and which leases have expired
 * (docs/decisions/0020-use-the-database-clock-on-postgresql.md). Between two queries, time advances by the processor's
 * monotonic clock, even when the machine's clock is set.
 */
import type { Database } from '../entities/orm.ts';
import { statement } from '../entities/statement.ts';
import type { Clock } from '../services/clock.ts';

/** How this machine measures time. */
export interface MachineTime {
  /** The machine's clock, in milliseconds since 1970; it may be set at any moment. */
  wall(): number;
  /** Milliseconds since some start. It is never set, and may stop while the machine sleeps. */
  steady(): number;
}

export interface DatabaseClock extends Clock {
  /** Reads the time from the database now. Without an answer the clock continues as it is. */
  readDatabaseTime(): Promise<void>;
  /** Reads the time repeatedly until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** How often the database is queried. */
const POLL_INTERVAL_MS = 10_000;

/** How often the clock checks whether the machine has slept or its clock was set. */
const CHECK_EVERY_MS = 1_000;

/** How far the machine's two clocks may drift apart before the database is queried at once. */
const DRIFT_MS = 500;

/** Queries per reading. The fastest answer is the most accurate. */
const ASKS = 3;

const readClock = statement('read the clock of the database', {
  /** Milliseconds since 1970. */
  result: { now: 'float8' },
  sql: () => 'select extract(epoch from clock_timestamp())::float8 * 1000 as now',
});

interface Reading {
  /** The time then, in milliseconds since 1970. */
  readonly at: number;
  readonly wall: number;
  readonly steady: number;
}

/** @param own provides durations, waits and deadlines, and the time until the first reading */
export function createDatabaseClock(own: Clock, machine: MachineTime, db: () => Database): DatabaseClock {
  let last: Reading | null = null;

  const ask = async (): Promise<Reading & { readonly tookMs: number }> => {
    const asked = machine.steady();
    const [row] = await readClock(db().em());
    if (row === undefined) throw new Error('the database returned no time');
    const answered = machine.steady();
    const at = row.now + (answered - asked) / 2;
    return { at, wall: machine.wall(), steady: answered, tookMs: answered - asked };
  };

  const readDatabaseTime = async () => {
    const readings = [];
    for (let asks = 0; asks < ASKS; asks += 1) readings.push(await ask());
    const [best] = readings.toSorted((one, other) => one.tookMs - other.tookMs);
    last = best ?? last;
  };

  /** Milliseconds by which the machine's clock was set, or the machine slept, since the last reading. */
  const drift = ({ wall, steady }: Reading) => Math.abs(machine.wall() - wall - (machine.steady() - steady));

  return {
    now: () => (last === null ? own.now() : new Date(last.at + machine.steady() - last.steady)),
    elapsed: () => own.elapsed(),
    sleep: (ms, signal) => own.sleep(ms, signal),
    deadline: (ms, parent) => own.deadline(ms, parent),
    readDatabaseTime,
    follow: async (signal) => {
      while (!signal.aborted) {
        await own.sleep(CHECK_EVERY_MS, signal).catch(() => undefined);
        const due = last === null || machine.steady() - last.steady >= POLL_INTERVAL_MS || drift(last) > DRIFT_MS;
        if (due && !signal.aborted) await readDatabaseTime().catch(() => undefined);
      }
    },
  };
}
