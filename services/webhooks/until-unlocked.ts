/**
 * Repeats a statement for a webhook whose row another transaction has locked. The statement leaves it out instead of waiting, so
 * that the other webhooks of its batch do not wait, and no connection does.
 */
import type { Context } from '../context.ts';

/** Milliseconds of real time before the second try: most locks last for one statement. */
const FIRST_PAUSE_MS = 5;

/** Longest time between two tries. */
const LONGEST_PAUSE_MS = 250;

/** @param run its result is null while the row is locked */
export async function untilUnlocked<Result>(
  { clock }: Pick<Context, 'clock'>,
  run: () => Promise<Result | null>,
): Promise<Result> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const result = await run();
    if (result !== null) return result;
    await clock.sleep(pauseMs);
  }
}
