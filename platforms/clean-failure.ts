/** Rewrites what an adapter throws, so that neither the caller nor a log reads a secret or a control character of a platform. */
import { PlatformFailure } from './contract.ts';
import { NotSentError } from './http.ts';
import { withoutSecrets } from './secret-words.ts';
import { shortened, visibleText } from './untrusted.ts';

/** Longest wait that a platform can ask for, in milliseconds: two days, longer than any post is repeated. */
const WAIT_MAX_MS = 172_800_000;

/** Errors behind an error that are kept for the log. */
const CAUSES_MAX = 5;

/** Characters of a stack that are kept for the log. */
const STACK_MAX = 4_000;

/** The same failure, or error of the same name, in words that may be shown and logged. */
export function cleanFailure(error: unknown, secrets: Iterable<string>): Error {
  const known = [...secrets];
  if (!(error instanceof PlatformFailure)) return cleanError(error, known);
  const { kind, retryAfterMs } = error;
  const cause = error.cause === undefined ? {} : { cause: cleanError(error.cause, known) };
  const failure = new PlatformFailure(kind, cleanMessage(error.message, known), {
    ...cause,
    retryAfterMs: retryAfterMs !== undefined && retryAfterMs >= 0 ? Math.min(retryAfterMs, WAIT_MAX_MS) : undefined,
  });
  failure.stack = cleanStack(error, known);
  return failure;
}

// Invisible characters go first: otherwise one in the middle of a secret would keep it from being found.
function cleanMessage(message: string, secrets: readonly string[]): string {
  return shortened(withoutSecrets(visibleText(message), secrets));
}

/** Name, message, stack and cause alone: libraries attach whole answers, which hold tokens. */
function cleanError(error: unknown, secrets: readonly string[], depth = 1): Error {
  if (!(error instanceof Error)) return new Error(cleanMessage(String(error), secrets));
  const { cause } = error;
  const behind = cause === undefined || depth === CAUSES_MAX ? {} : { cause: cleanError(cause, secrets, depth + 1) };
  // What customers are told depends on whether a request left the install.
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
