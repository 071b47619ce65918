/** The one error class that services throw, by code; errors/error-body.ts turns it into an answer. */
import { ERRORS, type ErrorCode } from './codes.ts';

/** One thing that is wrong with an input: where it is and what was expected there. */
export interface ErrorDetail {
  /** Dotted path of the field, e.g. `media.0.altText`; empty for the body itself. */
  readonly path: string;
  /** What would have been accepted there. */
  readonly expected: string;
  /** What was sent, shortened; absent when the field was missing. */
  readonly received?: string;
}

/** What a failure may say beside its code and message. */
export interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[];
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
}

/**
 * A failure the caller is meant to see.
 *
 * @param code an entry of {@link ERRORS}; decides the status of the answer.
 * @param message a sentence that tells what was wrong, with the value and the limit; the table's
 *   own sentence when left out. It reaches the caller as it stands, so it must hold no secret.
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /** Whether this very request may succeed later; undefined where the table's answer for the code is right (docs/contract/errors-and-limits.md#retryable-errors). */
  readonly retryable: boolean | undefined;
  /** Seconds after which repeating makes sense, 1 or more; becomes the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryable = options.retryable;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
