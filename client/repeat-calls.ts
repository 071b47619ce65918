/**
 * Repeats calls that may be repeated: reads, and changes with an Idempotency-Key. All tries of a change share one generated
 * key, so the service does its work once.
 */
import type { Operation, TRPCClientError, TRPCLink } from '@trpc/client';
import type { AnyTRPCRouter } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import { type Connection, retryAfterMs, type WithNow } from './connection.ts';
import { CarillonError, NoAnswerError } from './errors.ts';
import {
  delayBefore,
  isRunning,
  KEYED_OPERATIONS,
  LONGEST_DELAY_MS,
  REPEATED_STATUSES,
  type RetryOptions,
  RUNNING_DELAY_MS,
  RUNNING_TRIES,
  TRIES,
} from './retry-policy.ts';

/** Bytes of a generated key. */
const KEY_BYTES = 16;

/** @param options false leaves every call at one try; a key is generated all the same */
export function repeatCalls<Router extends AnyTRPCRouter>(
  connection: Connection,
  options: RetryOptions | false,
): TRPCLink<Router> {
  return () =>
    ({ op, next }) =>
      observable((observer) => {
        const keyed = withKey(connection, op);
        const over = new AbortController();
        let unsubscribe = () => {};
        let askedAgain = 0;
        const attempt = (triesMade: number) => {
          unsubscribe = next(keyed).subscribe({
            next: (value) => observer.next(value),
            complete: () => observer.complete(),
            error: (error) => {
              if (over.signal.aborted) return observer.error(error);
              const mayAsk = options !== false && askedAgain < RUNNING_TRIES && KEYED_OPERATIONS.includes(op.path);
              if (mayAsk && isRunning(error)) {
                askedAgain += 1;
                return void repeatAfter(RUNNING_DELAY_MS, triesMade - 1, error);
              }
              const wait = waitAfter(connection, options, { op: keyed, error, triesMade });
              if (wait === null) return observer.error(error);
              void repeatAfter(wait, triesMade, error);
            },
          }).unsubscribe;
        };
        const repeatAfter = async (wait: number, tries: number, error: Parameters<typeof observer.error>[0]) => {
          const signal = op.signal == null ? over.signal : AbortSignal.any([op.signal, over.signal]);
          try {
            await connection.clock.sleep(wait, signal);
          } catch {
            return observer.error(error);
          }
          attempt(tries + 1);
        };
        attempt(1);
        return () => {
          over.abort();
          unsubscribe();
        };
      });
}

/** The call with a key that all its tries share, if it takes one and has none. */
function withKey({ random }: Connection, op: Operation): Operation {
  const input = op.input as { readonly idempotencyKey?: string } | undefined;
  if (!KEYED_OPERATIONS.includes(op.path) || input?.idempotencyKey !== undefined) return op;
  const idempotencyKey = [...random(KEY_BYTES)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return { ...op, input: { ...input, idempotencyKey } };
}

interface FailedTry {
  readonly op: Operation;
  readonly error: TRPCClientError<AnyTRPCRouter>;
  readonly triesMade: number;
}

/** Milliseconds to wait before the next try; null when there is none. */
function waitAfter(
  connection: Connection,
  options: RetryOptions | false,
  { op, error, triesMade }: FailedTry,
): number | null {
  if (options === false || triesMade >= (options.tries ?? TRIES)) return null;
  if (op.type !== 'query' && !KEYED_OPERATIONS.includes(op.path)) return null;
  if (op.signal?.aborted === true || !mayPass(error)) return null;
  const afterMs = askedWaitMs(connection, error);
  if (afterMs !== undefined && afterMs > (options.maxDelayMs ?? LONGEST_DELAY_MS)) return null;
  return delayBefore(connection, options, { triesMade, afterMs });
}

/** Milliseconds after which the answer that was thrown asks to try again; undefined when it does not. */
export function askedWaitMs(connection: WithNow, thrown: unknown): number | undefined {
  if (thrown instanceof CarillonError) return thrown.retryAfterMs;
  if (!(thrown instanceof Error)) return undefined;
  if (thrown.cause instanceof CarillonError) return thrown.cause.retryAfterMs;
  const { meta } = thrown as { readonly meta?: { readonly response?: Response } | undefined };
  return meta?.response && retryAfterMs(connection, meta.response.headers);
}

/** Whether the same call may succeed later. */
function mayPass({ cause, data }: TRPCClientError<AnyTRPCRouter>): boolean {
  if (cause instanceof NoAnswerError) return true;
  if (cause instanceof CarillonError)
    return REPEATED_STATUSES.includes(cause.status) && cause.body?.retryable !== false;
  const found = data as { httpStatus?: number; error?: { retryable?: boolean } } | undefined;
  return REPEATED_STATUSES.includes(found?.httpStatus ?? 0) && found?.error?.retryable !== false;
}
