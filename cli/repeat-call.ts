/** Repeats a call that may be repeated, when no answer of it arrived. */
import type { Call } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { failureOf } from './failure.ts';

/** Waits before the second and third try, in milliseconds. */
const WAITS_MS = [1_000, 3_000];

/** While a request whose answer was lost still runs: the wait until it is asked about again, and how often. */
const RUNNING_WAIT_MS = 2_000;
const RUNNING_TRIES = 45;

/** @param send is safe to repeat: it reads, or it carries an idempotency key */
export async function repeatCall<T>({ io, report }: Pick<Call, 'io' | 'report'>, send: () => Promise<T>): Promise<T> {
  const waits = [...WAITS_MS];
  for (let askedAgain = 0; ;) {
    try {
      return await send();
    } catch (error) {
      const { exitCode, message, body } = failureOf(error);
      const isAskedAgain = isRunning(body) && askedAgain < RUNNING_TRIES;
      const wait = isAskedAgain
        ? RUNNING_WAIT_MS
        : exitCode === EXIT_CODES.unavailable.code
          ? waits.shift()
          : undefined;
      if (wait === undefined || io.signal.aborted) throw error;
      if (isAskedAgain) askedAgain += 1;
      else report(`${message} Trying again in ${wait / 1000} s.`);
      await io.clock.sleep(wait, io.signal);
    }
  }
}

function isRunning(body: { readonly error?: unknown; readonly retryable?: unknown }): boolean {
  return body.error === 'idempotency_key_conflict' && body.retryable === true;
}
