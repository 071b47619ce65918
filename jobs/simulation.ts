/** Moves the manual clock from due instant to due instant, running what falls due at each (D20). */
import type { Context } from '../services/context.ts';
import type { Simulation } from '../services/simulation/simulation.ts';
import { loops } from './index.ts';
import { runRound } from './run-round.ts';

/** The loops whose work has an instant; the others have nothing that a simulated month would stop for. */
const timed = loops.filter((loop) => loop.nextDueAt !== undefined);

/** The clock that is moved. */
interface SettableClock {
  now(): Date;
  set(instant: Date): void;
}

/** @param context a function, because the simulation is itself a part of the context */
export function createSimulation(context: () => Context, clock: SettableClock): Simulation {
  let turn: Promise<unknown> = Promise.resolve();
  return {
    // Two calls at once take turns: time moves one way.
    advance: (seconds) => {
      const moved = turn.then(() => advance(context(), clock, seconds));
      turn = moved.catch(() => undefined);
      return moved;
    },
  };
}

/** Real milliseconds between two looks for work that is due at the instant at which time stands. */
const LOOK_EVERY_MS = 250;

/** Runs what is due at the frozen instant, at once, until `signal` aborts. */
export async function keepFrozenInstant(context: Context, signal: AbortSignal): Promise<void> {
  await context.simulation?.advance(0);
  while (!signal.aborted) {
    await context.clock.sleep(LOOK_EVERY_MS, signal).catch(() => undefined);
    const due = signal.aborted ? null : await earliestDue(context);
    if (due !== null && due <= context.clock.now()) await context.simulation?.advance(0);
  }
}

async function advance(context: Context, clock: SettableClock, seconds: number): Promise<number> {
  const target = new Date(clock.now().getTime() + seconds * 1000);
  let ran = await runAllDue(context);
  for (;;) {
    const next = await earliestDue(context);
    if (next === null || next > target) break;
    clock.set(next);
    ran += await runAllDue(context);
  }
  clock.set(target);
  return ran + (await runAllDue(context));
}

async function runAllDue(context: Context): Promise<number> {
  let ran = 0;
  for (const loop of timed) ran += await runRound(context, loop, new AbortController().signal);
  await context.sends.drained();
  return ran;
}

async function earliestDue(context: Context): Promise<Date | null> {
  const instants = await Promise.all(timed.map(async (loop) => loop.nextDueAt?.(context)));
  const due = instants.filter((instant) => instant instanceof Date).toSorted((a, b) => Number(a) - Number(b));
  return due[0] ?? null;
}
