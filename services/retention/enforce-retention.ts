/** Removes expired rows of all tables in small steps (docs/operations.md#what-is-kept-and-for-how-long). */
import type { Context } from '../context.ts';
import type { RetentionRule } from '../retention-rule.ts';
import { roundEnd } from '../workers/round-end.ts';
import { RETENTIONS } from './retentions.ts';

/** Most steps in one round, over all tables: the next round continues. */
export const STEPS_PER_ROUND = 2_000;

const RULES: readonly RetentionRule[] = Object.values(RETENTIONS).flatMap(({ rules = [] }) => rules);

/**
 * Tables take turns, so that a long backlog of one delays no other. After each step it waits as long as the step took:
 * a slow database is asked less, and half of one connection's time stays free. The round ends by time only between turns, so
 * that every table gets one in each round.
 *
 * @param signal ends the round before the next step
 * @returns how many steps were taken
 * @throws the first error of a rule, after the other rules have had their turns
 */
export async function enforceRetention(
  context: Context,
  signal: AbortSignal,
  stepsMax = STEPS_PER_ROUND,
): Promise<number> {
  const errors: unknown[] = [];
  const isOver = roundEnd(context, signal);
  let steps = 0;
  for (let due = RULES; due.length > 0;) {
    const unfinished: RetentionRule[] = [];
    for (const rule of due) {
      if (signal.aborted || steps === stepsMax) return ended(steps, errors);
      steps += 1;
      const began = context.clock.elapsed();
      const isMoreLeft = await rule.step(context).catch((error: unknown) => {
        errors.push(error);
        return false;
      });
      if (isMoreLeft) unfinished.push(rule);
      await context.clock.sleep(context.clock.elapsed() - began, signal).catch(() => undefined);
    }
    if (isOver()) break;
    due = unfinished;
  }
  return ended(steps, errors);
}

function ended(steps: number, errors: readonly unknown[]): number {
  if (errors.length > 0) throw errors[0];
  return steps;
}
