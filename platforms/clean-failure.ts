/** Rewrites the errors of an adapter, so that neither callers nor logs see secrets or control characters. */
import { Inconclusive, PlatformFailure } from './contract.ts';
import { NotSentError } from './http.ts';
import { withoutSecrets } from './secret-words.ts';
import { shortened, visibleText } from './untrusted.ts';

/** Longest wait that a platform can request, in milliseconds: two days, longer than any post is retried. */
const WAIT_MAX_MS = 172_800_000;

/** Maximum number of causes of an error that are logged. */
const CAUSES_MAX = 5;

/** Maximum number of characters of a stack that are logged. */
const STACK_MAX = 4_000;

/** Returns the same failure, or an error of the same name, with text that is safe to show and log. */
export function cleanFailure(error: unknown, secrets: Iterable<string>): Error {
  const known = [...secrets];
  return error instanceof PlatformFailure ? cleanPlatformFailure(error, known) : cleanError(error, known);
}

/** As {@link cleanFailure}, for a failure that an adapter returns. */
export function cleanPlatformFailure(error: PlatformFailure, secrets: Iterable<string>): PlatformFailure {
  const known = [...secrets];
  const { kind, retryAfterMs } = error;
  const message = cleanMessage(error.message, known);
  const options = {
    ...(error.cause === undefined ? {} : { cause: cleanError(error.cause, known) }),
    retryAfterMs: retryAfterMs !== undefined && retryAfterMs >= 0 ? Math.min(retryAfterMs, WAIT_MAX_MS) : undefined,
  };
  const failure =
    error instanceof Inconclusive ? new Inconclusive(message, options) : new PlatformFailure(kind, message, options);
  failure.stack = cleanStack(error, known);
  return failure;
}

// Invisible characters are removed first: one inside a secret would prevent its detection.
function cleanMessage(message: string, secrets: readonly string[]): string {
  return shortened(withoutSecrets(visibleText(message), secrets));
}

/** Copies only name, message, stack and cause: libraries attach whole responses, which contain tokens. */
function cleanError(error: unknown, secrets: readonly string[], depth = 1): Error {
  if (!(error instanceof Error)) return new Error(cleanMessage(String(error), secrets));
  const { cause } = error;
  const behind = cause === undefined || depth === CAUSES_MAX ? {} : { cause: cleanError(cause, secrets, depth + 1) };
  // What customers are told depends on whether a request was sent.
  const Kind = error instanceof NotSentError ? NotSentError : Error;
  const clean = new Kind(cleanMessage(error.message, secrets), behind);
  clean.name = error.name;
  clean.stack = cleanStack(error, secrets);
  return clean;
}

function cleanStack(error: Error, secrets: readonly string[]): string {
  const stack = (error.stack ?? '').split('\n').map(visibleText).join('\n  ');
  return withoutSecrets(stack, secrets).slice(0, STACK_MAX);
}
