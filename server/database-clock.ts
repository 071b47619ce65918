/**
 * The clock of processes that share a PostgreSQL: the database's own, so that machines whose clocks
 * differ agree on what is due and on whose claim has run out (decision 0020). Between two looks at it,
 * time goes on as the processor counts it, whatever is done to the clock of the machine.
 */
import type { Database } from '../entities/orm.ts';
import { query } from '../entities/query.ts';
import type { Clock } from '../services/clock.ts';

/** What this machine counts time with. */
export interface MachineTime {
  /** The machine's clock, in milliseconds since 1970; it may be set at any moment. */
  wall(): number;
  /** Milliseconds since some start; it is never set, and may stand still while the machine sleeps. */
  steady(): number;
}

export interface DatabaseClock extends Clock {
  /** Takes the time from the database now. Without an answer the clock goes on as it is. */
  look(): Promise<void>;
  /** Looks again and again until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

/** How often the database is asked. */
const LOOK_EVERY_MS = 10_000;

/** How often it is checked whether the machine has slept or had its clock set. */
const CHECK_EVERY_MS = 1_000;

/** How far the machine's two ways of counting may drift apart before the database is asked at once. */
const DRIFT_MS = 500;

/** Of so many asks in a row, the fastest answer is the truest. */
const ASKS = 3;

interface Reading {
  /** What time it was, in milliseconds since 1970. */
  readonly at: number;
  readonly wall: number;
  readonly steady: number;
}

/** @param own waits and deadlines of the process; its instants until the first look */
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

  /** Milliseconds by which the machine's clock was set, or it slept, since the last reading. */
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
