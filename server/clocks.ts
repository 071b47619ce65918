/**
 * The clocks of a running install: the real one, and one that is set by hand (docs/contract/running.md#manual-clock).
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { MachineTime } from './database-clock.ts';
import type { Clock } from '../services/clock.ts';

/** Durations, waits and deadlines are real time on both clocks, because networks do not follow the manual clock. */
const realTime = {
  elapsed: () => performance.now(),
  sleep: async (ms: number, signal?: AbortSignal) => {
    await wait(ms, undefined, signal === undefined ? {} : { signal });
  },
  deadline: (ms: number, parent?: AbortSignal) => {
    const timeout = AbortSignal.timeout(ms);
    return parent === undefined ? timeout : AbortSignal.any([timeout, parent]);
  },
};

export const systemClock: Clock = { now: () => new Date(), ...realTime };

/** How this machine measures time. */
export const machineTime: MachineTime = { wall: () => new Date().getTime(), steady: realTime.elapsed };

/** A clock whose time changes only when it is set. */
export interface ManualClock extends Clock {
  /** Moves to an instant; never backwards. */
  set(instant: Date): void;
}

/** @param reached is called with every instant the clock moves to, so that the caller can store it */
export function createManualClock(start: Date, reached: (instant: Date) => void): ManualClock {
  let present = start.getTime();
  return {
    now: () => new Date(present),
    set: (instant) => {
      if (instant.getTime() <= present) return;
      present = instant.getTime();
      reached(instant);
    },
    ...realTime,
  };
}
