/** Repeats a query that failed because the database went away, until it answers: during a failover, for seconds. */
import { isDatabaseAway } from '../entities/database-away.ts';
import type { Context } from './context.ts';

/** Milliseconds of real time between two tries. */
const PAUSE_MS = 200;

/**
 * @param query must be safe to repeat, because a lost answer does not tell whether it was executed
 * @param forMs milliseconds of real time after which its error is thrown
 */
export async function untilDatabaseAnswers<Result>(
  { clock }: Pick<Context, 'clock'>,
  forMs: number,
  query: () => Promise<Result>,
): Promise<Result> {
  const end = clock.elapsed() + forMs;
  for (;;) {
    try {
      return await query();
    } catch (error) {
      if (!isDatabaseAway(error) || clock.elapsed() + PAUSE_MS > end) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

/**
 * Real milliseconds for which the outcome of a call is kept in memory while the database does not answer. The claim may end
 * meanwhile; the outcome is then stored unless another process has taken over.
 */
const OUTCOME_KEPT_MS = 600_000;

/** Stores the outcome of a call to a platform or a receiver, which only this process knows. */
export function storeOutcome<Result>(context: Pick<Context, 'clock'>, query: () => Promise<Result>): Promise<Result> {
  return untilDatabaseAnswers(context, OUTCOME_KEPT_MS, query);
}
