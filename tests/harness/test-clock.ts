/** A clock that tests move. A wait takes no time: the clock records it and resolves it at once. */
import type { Clock } from '../../services/clock.ts';

export interface TestClock extends Clock {
  set(instant: Date): void;
  advance(ms: number): void;
  /** Milliseconds of every wait, in order. */
  readonly waits: number[];
}

/** Every world starts at this instant, a Saturday. */
export const START = new Date('2026-11-21T12:00:00.000Z');

export function createTestClock(start: Date = START): TestClock {
  let present = start.getTime();
  const waits: number[] = [];
  return {
    waits,
    now: () => new Date(present),
    set: (instant) => {
      present = instant.getTime();
    },
    advance: (ms) => {
      present += ms;
    },
    elapsed: () => performance.now(),
    sleep: async (ms, signal) => {
      waits.push(ms);
      signal?.throwIfAborted();
      // A caller that waits for another's answer must give the process time to read it.
      await new Promise(setImmediate);
    },
    deadline: (_ms, parent) => parent ?? new AbortController().signal,
  };
}

/** The clock of an ordinary install, which cannot be set and therefore has no operations. */
export function unsettable(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    deadline: (ms, parent) => clock.deadline(ms, parent),
  };
}
