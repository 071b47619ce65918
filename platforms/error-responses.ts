/**
 * Maps the error responses of a platform to failures. Each platform states in a table what its error codes and
 * statuses mean; the rules that hold for all of them are here.
 */
import { type FailureKind, PlatformFailure } from './failure.ts';
import { isProxyPage, isTemporary, type PlatformAnswer, retryAfterMsOf, unavailable } from './http.ts';
import { refusedDeleteKind } from './refused-delete.ts';

/** What the error responses of one platform mean. */
export interface ErrorTable<Answer extends PlatformAnswer> {
  /** Who answered, as messages begin, such as `The mail server`. */
  readonly name: string;
  /** Failure kinds by the platform's own error code. */
  readonly codes?: ReadonlyMap<string | number, FailureKind>;
  /** Reads that code; undefined when the response has none. */
  codeOf?(answer: Answer): string | number | undefined;
  /** Failure kinds by status, for responses without such a code. */
  readonly statuses: ReadonlyMap<number, FailureKind>;
  /** Failure kind of a response that the tables do not describe; undefined for all others. */
  kindOf?(answer: Answer): FailureKind | undefined;
  /** Whether the response is the platform's own; by default, if no proxy sent it. */
  isOwn?(answer: Answer): boolean;
  /** Whether a status of 3xx refuses the call. */
  readonly redirectsRefuse?: true;
  /** Whether the response has an error that the platform documents as an invalid token; for refused deletes. */
  isTokenDead?(answer: Answer): boolean;
  /** The platform's own reason for refusing a call. */
  reason(answer: Answer): string;
  /** What the platform does with a credential that it does not accept; by default `does not accept this credential`. */
  readonly refusesCredential?: string;
  /** Seconds that the platform asks to wait, if it reports them in its own form. */
  wait?(answer: Answer): number | undefined;
  /** How an `unavailable` response is worded if it is not a rate limit; undefined for the usual words. */
  unavailable?(answer: Answer): { readonly message: string; readonly retryAfterMs?: number | undefined } | undefined;
  /** What an `unknown` response contained; by default its status. */
  unknown?(answer: Answer): string;
}

/** The failures of one platform. */
export interface ErrorResponses<Answer> {
  /** Failure kind of an error response to a publishing call. */
  failureKind(answer: Answer): FailureKind;
  /** Returns the failure for an error response to a publishing call. */
  failure(answer: Answer): PlatformFailure;
  /** Returns the failure for the response to a delete (docs/contract/posts.md#refused-deletes). */
  deleteFailure(answer: Answer): PlatformFailure;
  /**
   * Checks the response to a delete. `isGone` tells whether it says that the post does not exist any more; from a
   * proxy it says nothing.
   *
   * @throws PlatformFailure when the post may still be up (docs/contract/posts.md#refused-deletes)
   */
  requireDeleted(answer: Answer, isGone: boolean): void;
}

export function errorResponses<Answer extends PlatformAnswer>(table: ErrorTable<Answer>): ErrorResponses<Answer> {
  const failureKind = (answer: Answer) => kindIn(table, answer);
  const deleteFailure = (answer: Answer) => {
    const isTokenDead = table.isTokenDead?.(answer) ?? false;
    return failureIn(table, answer, refusedDeleteKind(answer, failureKind(answer), isTokenDead));
  };
  return {
    failureKind,
    failure: (answer) => failureIn(table, answer, failureKind(answer)),
    deleteFailure,
    requireDeleted: (answer, isGone) => {
      if (isGone && !isProxyPage(answer)) return;
      const failure = deleteFailure(answer);
      throw failure.kind === 'unknown' && answer.status < 300 ? unconfirmedDelete(table.name, answer) : failure;
    },
  };
}

function unconfirmedDelete(name: string, { status }: PlatformAnswer): PlatformFailure {
  const message = `${name} answered HTTP ${status} without confirming the delete, so the post may still be up: delete it again later.`;
  return new PlatformFailure('unavailable', message);
}

function kindIn<Answer extends PlatformAnswer>(table: ErrorTable<Answer>, answer: Answer): FailureKind {
  const { status } = answer;
  const special = table.kindOf?.(answer);
  if (special !== undefined) return special;
  if (status === 429) return 'unavailable';
  if (table.isOwn?.(answer) === false || isProxyPage(answer)) return 'unknown';
  const isRefusal = status >= (table.redirectsRefuse ? 300 : 400) && status < 500;
  const code = isRefusal ? table.codeOf?.(answer) : undefined;
  const known = code === undefined ? undefined : table.codes?.get(code);
  return known ?? table.statuses.get(status) ?? (isRefusal && !isTemporary(answer) ? 'rejected' : 'unknown');
}

function failureIn<Answer extends PlatformAnswer>(
  table: ErrorTable<Answer>,
  answer: Answer,
  kind: FailureKind,
): PlatformFailure {
  const { name, refusesCredential = 'does not accept this credential' } = table;
  switch (kind) {
    case 'unknown': {
      // An overloaded platform asks to wait with 503 too (RFC 9110, section 10.2.3).
      const message = `${name} answered ${table.unknown?.(answer) ?? `HTTP ${answer.status}`}.`;
      return new PlatformFailure(kind, message, { retryAfterMs: retryAfterMsOf(answer) });
    }
    case 'unavailable': {
      const worded = table.unavailable?.(answer);
      if (worded === undefined) return unavailable(name, answer, table.wait?.(answer));
      return new PlatformFailure(kind, worded.message, { retryAfterMs: worded.retryAfterMs });
    }
    default: {
      const verb = kind === 'reconnect' ? refusesCredential : 'refused';
      return new PlatformFailure(kind, `${name} ${verb}: ${table.reason(answer)}`);
    }
  }
}
