/** Repeats a call that may be repeated, when no answer of it arrived. */
import { isRunning, RUNNING_DELAY_MS, RUNNING_TRIES } from '../client/retry-policy.ts';
import type { Call } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { failureOf } from './failure.ts';

/** Waits before the second and third try, in milliseconds. */
const WAITS_MS = [1_000, 3_000];

/** @param send is safe to repeat: it reads, or it carries an idempotency key */
export async function repeatCall<T>({ io, report }: Pick<Call, 'io' | 'report'>, send: () => Promise<T>): Promise<T> {
  const left = {
    running: Array.from({ length: RUNNING_TRIES }, () => RUNNING_DELAY_MS),
    unavailable: [...WAITS_MS],
  };
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const { exitCode, message } = failureOf(error);
      const isAskedAgain = isRunning(error);
      const mayRepeat = isAskedAgain || exitCode === EXIT_CODES.unavailable.code;
      const wait = mayRepeat ? left[isAskedAgain ? 'running' : 'unavailable'].shift() : undefined;
      if (wait === undefined || io.signal.aborted) throw error;
      if (!isAskedAgain) report(`${message} Trying again in ${wait / 1000} s.`);
      await io.clock.sleep(wait, io.signal);
    }
  }
}
