/** Sends a post, and says when it may be up although no answer says so: running the command again would be a second post. */
import { CarillonError, errorBodyOf } from '../client/errors.ts';
import { isRunning } from '../client/retry-policy.ts';
import { ERRORS } from '../errors/codes.ts';
import type { Call } from './command.ts';
import { EXIT_CODES, NOTHING_DONE } from './exit-codes.ts';
import { failureOf, UnknownSendError } from './failure.ts';
import { repeatCall } from './repeat-call.ts';
import { isUnsent } from './unsent-request.ts';

/**
 * @param send see repeatCall
 * @throws UnknownSendError when one of the tries may have sent the post, and no later one was refused
 */
export async function sendPost<T>(
  call: Pick<Call, 'io' | 'report'>,
  send: () => Promise<T>,
  reasons?: Parameters<typeof repeatCall>[2],
): Promise<T> {
  let mayBeUp = false;
  const observed = async () => {
    // Interrupted before anything is sent, for example while images were uploaded.
    call.io.signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      mayBeUp = isRunning(error) || mayHaveSent(error) || (mayBeUp && !isRefused(error));
      throw error;
    }
  };
  try {
    return await repeatCall(call, observed, reasons);
  } catch (error) {
    throw mayBeUp ? new UnknownSendError(error) : error;
  }
}

function mayHaveSent(error: unknown): boolean {
  const isUnavailable = failureOf(error).exitCode === EXIT_CODES.unavailable.code;
  return isUnavailable && !NOTHING_DONE.includes(errorBodyOf(error)?.error ?? '') && !isUnsent(error);
}

/**
 * Whether no earlier try has sent. All tries have one idempotency key, so a refusal by the service says that. A refusal by a proxy
 * does not, nor a 408, which the service answers before it has read the key. A conflict says that an earlier try has used the key.
 */
function isRefused(error: unknown): boolean {
  const code = errorBodyOf(error)?.error ?? '';
  if (!Object.hasOwn(ERRORS, code) || code === 'idempotency_key_conflict' || isTooLate(error)) return false;
  return failureOf(error).exitCode === EXIT_CODES.refused.code;
}

function isTooLate(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.cause instanceof CarillonError && thrown.cause.status === 408;
}
