/** The manual clock as callers move it (docs/contract/running.md#manual-clock). Only an install started with CLOCK=manual has one. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';

export interface Simulation {
  /** Moves time on by so many seconds and runs, in due order, everything that falls due on the way. Gives how many things ran. */
  advance(seconds: number): Promise<number>;
}

/** @throws ServiceError not_found on an install whose clock is the real one. */
export function simulationOf(context: Context): Simulation {
  if (context.simulation === null) {
    throw new ServiceError(
      'not_found',
      'This install runs on the real clock; start it with CLOCK=manual to move time by hand.',
    );
  }
  return context.simulation;
}
