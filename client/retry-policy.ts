/** Which calls are repeated, and when. */
import { errorBodyOf } from './errors.ts';
import { randomFraction, type Runtime } from './runtime.ts';

export interface RetryOptions {
  /** Most tries of a call, the first one included. Default 4. */
  readonly tries?: number;
  /** Longest wait before the second try, in milliseconds; it doubles with each further one. Default 500. */
  readonly firstDelayMs?: number;
  /** Longest wait, in milliseconds. A call that is asked to wait for longer fails at once. Default 65,000. */
  readonly maxDelayMs?: number;
}

/**
 * Tries of a call, and the longest wait in milliseconds, unless the options say otherwise. A rate limit asks for up to 61
 * seconds.
 */
export const TRIES = 4;
export const LONGEST_DELAY_MS = 65_000;

/**
 * While the request whose answer was lost still runs: the wait in milliseconds until it is asked about again, and how often.
 * Together they are longer than a send takes.
 */
export const RUNNING_DELAY_MS = 2_000;
export const RUNNING_TRIES = 45;

/** Changes that take an Idempotency-Key. */
export const KEYED_OPERATIONS: readonly string[] = ['posts.create', 'posts.publish'];

/** Whether an earlier try of the same call is still being carried out; its answer comes with its key. */
export function isRunning(thrown: unknown): boolean {
  const body = errorBodyOf(thrown);
  return body?.error === 'idempotency_key_conflict' && body.retryable === true;
}

/** Statuses that promise that nothing was done. */
export const REPEATED_STATUSES = [429, 503];

/** The wait before a try, between half of the doubled delay and all of it, and at least as long as the answer asks for. */
export function delayBefore(
  runtime: Required<Runtime>,
  { firstDelayMs = 500, maxDelayMs = LONGEST_DELAY_MS }: RetryOptions,
  { triesMade, afterMs = 0 }: { readonly triesMade: number; readonly afterMs?: number | undefined },
): number {
  const doubled = Math.min(maxDelayMs, firstDelayMs * 2 ** (triesMade - 1));
  return Math.max(afterMs, doubled * (0.5 + randomFraction(runtime) / 2));
}
