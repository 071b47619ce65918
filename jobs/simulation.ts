/**
 * Moves the manual clock from one due instant to the next and runs what is due at each
 * (docs/contract/running.md#manual-clock).
 */
import type { Simulation, WithSimulation } from '../services/simulation/simulation.ts';
import { samplePassedMinutes } from '../services/health/health-samples.ts';
import { WORKER_LOOPS } from '../services/workers/worker-loops.ts';
import { dueLoops, periodicLoops } from './index.ts';
import type { Loop, LoopContext } from './loop.ts';
import { runRound } from './run-round.ts';

/** The clock to move. */
interface SettableClock {
  now(): Date;
  set(instant: Date): void;
}

export function createSimulation(context: LoopContext, clock: SettableClock): Simulation {
  let turn: Promise<unknown> = Promise.resolve();
  const lastRuns = new Map<Loop, number>();
  return {
    // Concurrent calls run one after the other, because time only moves forward.
    advance: (seconds) => {
      const moved = turn.then(async () => {
        const from = clock.now();
        const ran = await advance(context, clock, seconds);
        await runPeriodic(context, lastRuns);
        await samplePassedMinutes(context, from);
        return ran;
      });
      turn = moved.catch(() => undefined);
      return moved;
    },
  };
}

/** After this many instants in a row without any work to start, time moves to its end. */
const IDLE_MAX = 3;

/** Real milliseconds between two checks for work that is due while time is frozen. */
const POLL_INTERVAL_MS = 250;

/** Runs what is due at the frozen instant, at once, until `signal` aborts. */
export async function keepFrozenInstant(context: LoopContext & WithSimulation, signal: AbortSignal): Promise<void> {
  await context.simulation?.advance(0);
  while (!signal.aborted) {
    await context.clock.sleep(POLL_INTERVAL_MS, signal).catch(() => undefined);
    const due = signal.aborted ? null : earliestOf(await dueInstants(context));
    if (due !== null && due <= context.clock.now()) await context.simulation?.advance(0);
  }
}

async function advance(context: LoopContext, clock: SettableClock, seconds: number): Promise<number> {
  const target = new Date(clock.now().getTime() + seconds * 1000);
  let ran = await runAllDue(context);
  let idle = 0;
  for (;;) {
    const instants = await dueInstants(context);
    const next = earliestOf(instants);
    if (next === null || next > target) break;
    // Overdue work was started already; time must not move back for it.
    if (next > clock.now()) clock.set(next);
    const due = dueLoops.filter((_, index) => (instants[index] ?? target) <= next);
    // A month has thousands of instants: at each one only the due loops run, unless they start nothing.
    const begun = (await runOnce(context, due)) || (await runAllDue(context));
    ran += begun;
    idle = begun === 0 ? idle + 1 : 0;
    if (idle > IDLE_MAX) break;
  }
  clock.set(target);
  return ran + (await runAllDue(context));
}

/** Periodic loops have no due times to stop at: each runs once at the end of the simulated time, if its interval is over. */
async function runPeriodic(context: LoopContext, lastRuns: Map<Loop, number>): Promise<void> {
  const now = context.clock.now().getTime();
  for (const loop of periodicLoops) {
    const last = lastRuns.get(loop);
    if (last !== undefined && now - last < WORKER_LOOPS[loop.name].everySeconds * 1000) continue;
    lastRuns.set(loop, now);
    await runRound(context, loop, new AbortController().signal);
  }
}

async function runAllDue(context: LoopContext): Promise<number> {
  let ran = 0;
  // A round starts as much as capacity allows; when that is over, there is capacity for more.
  for (let begun = -1; begun !== 0; ran += begun) begun = await runOnce(context, dueLoops);
  return ran;
}

/**
 * Real milliseconds after which a receiver that has not answered no longer holds time up. Its outcome is stored when it
 * is known, and its deliveries go on in the next move.
 */
const RECEIVER_PATIENCE_MS = 1_000;

/** Runs one round of each loop. */
async function runOnce(context: LoopContext, due: readonly Loop[]): Promise<number> {
  let begun = 0;
  for (const loop of due) begun += await runRound(context, loop, new AbortController().signal);
  await Promise.all([context.sends.drained(), context.deliveries.drained(RECEIVER_PATIENCE_MS)]);
  return begun;
}

/** When the next work of each due loop is due. */
function dueInstants(context: LoopContext): Promise<(Date | null | undefined)[]> {
  return Promise.all(dueLoops.map(async (loop) => loop.nextDueAt?.(context)));
}

function earliestOf(instants: readonly (Date | null | undefined)[]): Date | null {
  const due = instants.filter((instant) => instant instanceof Date).toSorted((a, b) => Number(a) - Number(b));
  return due[0] ?? null;
}
