/** The clock that processes on one PostgreSQL share: that of the database, regardless of the machines' clocks. */
import { describe, expect, it } from 'vitest';
import { createDatabaseClock } from '../../server/database-clock.ts';
import { createTestClock } from '../harness/test-clock.ts';

const HOUR_MS = 3_600_000;

/** A machine and a database, each with a separate clock; every answer of the database has a delay. */
function machines({ machineAhead = 0, answerMs = 20 } = {}) {
  const start = Date.UTC(2026, 10, 21, 12);
  const state = { truth: start, wall: start + machineAhead, steady: 5_000, down: false, asks: 0 };
  const pass = (ms: number) => {
    state.truth += ms;
    state.wall += ms;
    state.steady += ms;
  };
  const executeQuery = async () => {
    state.asks += 1;
    pass(answerMs / 2);
    const now = state.truth / 1000;
    pass(answerMs / 2);
    if (state.down) throw new Error('connection refused');
    return { rows: [{ now: now * 1000 }] };
  };
  const own = createTestClock(new Date(state.wall));
  const clock = createDatabaseClock(
    own,
    { wall: () => state.wall, steady: () => state.steady },
    () => ({ em: () => ({ getKysely: () => ({ executeQuery }) }) }) as never,
  );
  return { state, clock, pass, own };
}

describe('the time', () => {
  it.each([-2 * HOUR_MS, 0, 5 * 60_000])('is the database’s on a machine that is %i ms ahead', async (machineAhead) => {
    const { state, clock, pass } = machines({ machineAhead });

    await clock.readDatabaseTime();
    pass(90_000);

    expect(clock.now().getTime()).toBe(state.truth);
  });

  it('continues evenly when a user sets the clock of the machine', async () => {
    const { state, clock, pass } = machines();
    await clock.readDatabaseTime();

    state.wall += HOUR_MS;
    pass(1_000);

    expect(clock.now().getTime()).toBe(state.truth);
  });

  it('continues unchanged while the database does not answer', async () => {
    const { state, clock, pass } = machines({ machineAhead: HOUR_MS });
    await clock.readDatabaseTime();
    state.down = true;

    await expect(clock.readDatabaseTime()).rejects.toThrow('connection refused');
    pass(60_000);

    expect(clock.now().getTime()).toBe(state.truth);
  });

  it('is the machine’s until the first answer of the database', () => {
    const { own, clock } = machines();

    expect(clock.now()).toEqual(own.now());
  });
});

describe('following', () => {
  /** Runs this many checks, with `between` called before each. */
  async function follow({ state, clock, own, pass }: ReturnType<typeof machines>, checks: number, between: () => void) {
    const over = new AbortController();
    let left = checks;
    own.sleep = async (ms) => {
      if (left === 0) over.abort();
      left -= 1;
      pass(ms);
      between();
    };
    const before = state.asks;
    await clock.follow(over.signal);
    return state.asks - before;
  }

  it('asks every ten seconds, three times, and takes the fastest answer', async () => {
    const world = machines();
    await world.clock.readDatabaseTime();

    expect(await follow(world, 30, () => undefined)).toBe(9);
    expect(world.clock.now().getTime()).toBe(world.state.truth);
  });

  it('queries within a second after the machine resumes from sleep', async () => {
    const world = machines();
    await world.clock.readDatabaseTime();
    world.state.truth += HOUR_MS;
    world.state.wall += HOUR_MS;

    expect(await follow(world, 1, () => undefined)).toBe(3);
    expect(world.clock.now().getTime()).toBe(world.state.truth);
  });

  it('continues after the database was unreachable', async () => {
    const world = machines();
    await world.clock.readDatabaseTime();
    world.state.down = true;
    await follow(world, 12, () => undefined);
    world.state.down = false;
    world.state.truth += 7;

    await follow(world, 12, () => undefined);

    expect(world.clock.now().getTime()).toBe(world.state.truth);
  });
});
