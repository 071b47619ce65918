/**
 * The manual clock that callers can move (docs/contract/running.md#manual-clock). Only an install started with
 * CLOCK=manual has one.
 */
import { ServiceError } from '../../errors/service-error.ts';

export interface Simulation {
  /**
   * Moves time forward by `seconds` and runs everything that falls due, in order. Resolves with how many units of work
   * ran.
   */
  advance(seconds: number): Promise<number>;
}

/** The manual clock; null on the real clock. */
export interface WithSimulation {
  readonly simulation: Simulation | null;
}

/** @throws ServiceError not_found on an install with the real clock. */
export function simulationOf(context: WithSimulation): Simulation {
  if (context.simulation === null) {
    throw new ServiceError(
      'not_found',
      'This install runs on the real clock; start it with CLOCK=manual to move time by hand.',
    );
  }
  return context.simulation;
}
