/**
 * The clock of processes that share a PostgreSQL database: the time of the database. Machines whose clocks differ then
 * agree on which posts are due and which leases have expired (decision 0020). Between two queries, time advances by the
 * processor's monotonic clock, even when the machine's clock is set.
 */
import type { Database } from '../entities/orm.ts';
import { query } from '../entities/query.ts';
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
  look(): Promise<void>;
  /** Reads the time repeatedly until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** How often the database is queried. */
const LOOK_EVERY_MS = 10_000;

/** How often the clock checks whether the machine has slept or its clock was set. */
const CHECK_EVERY_MS = 1_000;

/** How far the machine's two clocks may drift apart before the database is queried at once. */
const DRIFT_MS = 500;

/** Queries per reading. The fastest answer is the most accurate. */
const ASKS = 3;

interface Reading {
  /** The time then, in milliseconds since 1970. */
  readonly at: number;
  readonly wall: number;
  readonly steady: number;
}

/** @param own provides waits and deadlines, and the time until the first reading */
export function createDatabaseClock(own: Clock, machine: MachineTime, db: () => Database): DatabaseClock {
  let last: Reading | null = null;

  const ask = async (): Promise<Reading & { readonly tookMs: number }> => {
    const asked = machine.steady();
    const sql = 'select extract(epoch from clock_timestamp()) * 1000 as now';
    const [row] = await query<{ now: string }>(db().em(), sql);
    const answered = machine.steady();
    const at = Number(row?.now) + (answered - asked) / 2;
    return { at, wall: machine.wall(), steady: answered, tookMs: answered - asked };
  };

  const look = async () => {
    const readings = [];
    for (let asks = 0; asks < ASKS; asks += 1) readings.push(await ask());
    const [best] = readings.toSorted((one, other) => one.tookMs - other.tookMs);
    last = best ?? last;
  };

  /** Milliseconds by which the machine's clock was set, or the machine slept, since the last reading. */
  const drift = ({ wall, steady }: Reading) => Math.abs(machine.wall() - wall - (machine.steady() - steady));

  return {
    now: () => (last === null ? own.now() : new Date(last.at + machine.steady() - last.steady)),
    sleep: (ms, signal) => own.sleep(ms, signal),
    deadline: (ms, parent) => own.deadline(ms, parent),
    look,
    follow: async (signal) => {
      while (!signal.aborted) {
        await own.sleep(CHECK_EVERY_MS, signal).catch(() => undefined);
        const due = last === null || machine.steady() - last.steady >= LOOK_EVERY_MS || drift(last) > DRIFT_MS;
        if (due && !signal.aborted) await look().catch(() => undefined);
      }
    },
  };
}
