/** Repeats a call that may be repeated, when no answer of it arrived. */
import type { Call } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { failureOf } from './failure.ts';

/** Waits before the second and third try, in milliseconds. */
const WAITS_MS = [1_000, 3_000];

/** @param send is safe to repeat: it reads, or it carries an idempotency key */
export async function repeatCall<T>({ io, report }: Pick<Call, 'io' | 'report'>, send: () => Promise<T>): Promise<T> {
  for (const wait of WAITS_MS) {
    try {
      return await send();
    } catch (error) {
      if (failureOf(error).exitCode !== EXIT_CODES.unavailable.code || io.signal.aborted) throw error;
      report(`${failureOf(error).message} Trying again in ${wait / 1000} s.`);
      await io.clock.sleep(wait, io.signal);
    }
  }
  return send();
}
