/** Repeats a call that may be repeated, when no answer of it arrived, or when it was one too many. */
import { errorBodyOf } from '../client/errors.ts';
import { askedWaitMs } from '../client/repeat-calls.ts';
import { isRunning, LONGEST_DELAY_MS, RUNNING_DELAY_MS, RUNNING_TRIES } from '../client/retry-policy.ts';
import type { Call } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { failureOf } from './failure.ts';

/** Waits before the second and third try, in milliseconds. */
const WAITS_MS = [1_000, 3_000];

/** Most waits for the limit of requests, which counts those of a minute. */
const LIMIT_TRIES = 8;

/** The wait for it when the answer does not say how long, in milliseconds. */
const LIMIT_WAIT_MS = 10_000;

type Reason = 'running' | 'limited' | 'unavailable';

/**
 * @param send is safe to repeat: it reads, or it carries an idempotency key
 * @param reasons for which it is repeated. One that is not safe to repeat may wait for the limit of requests, which refuses a call
 * before anything is done.
 */
export async function repeatCall<T>(
  { io, report }: Pick<Call, 'io' | 'report'>,
  send: () => Promise<T>,
  reasons: readonly Reason[] = ['running', 'limited', 'unavailable'],
): Promise<T> {
  const left = {
    running: Array.from({ length: RUNNING_TRIES }, () => RUNNING_DELAY_MS),
    unavailable: [...WAITS_MS],
    limited: Array.from({ length: LIMIT_TRIES }, () => LIMIT_WAIT_MS),
  };
  const clock = { now: () => io.clock.now().getTime() };
  for (;;) {
    try {
      return await send();
    } catch (error) {
      const reason = reasonToRepeat(error);
      const usual = reason === null || !reasons.includes(reason) ? undefined : left[reason].shift();
      if (usual === undefined || io.signal.aborted) throw error;
      const wait = askedWaitMs({ clock }, error) ?? usual;
      const seconds = Math.ceil(wait / 1000);
      if (wait > LONGEST_DELAY_MS) {
        report(`The service asks to wait for ${seconds} s. Run the command again after that.`);
        throw error;
      }
      if (reason !== 'running') report(`${failureOf(error).message} Trying again in ${seconds} s.`);
      await io.clock.sleep(wait, io.signal);
    }
  }
}

function reasonToRepeat(error: unknown): Reason | null {
  if (isRunning(error)) return 'running';
  if (errorBodyOf(error)?.error === 'too many requests') return 'limited';
  return failureOf(error).exitCode === EXIT_CODES.unavailable.code ? 'unavailable' : null;
}
