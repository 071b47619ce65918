/**
 * The only error class that services throw, identified by its code; errors/error-body.ts converts it into a response.
 */
import { ERRORS, type ErrorCode } from './codes.ts';

/** One problem with an input: its location and what was expected there. */
export interface ErrorDetail {
  /** Dotted path of the field, e.g. `media.0.altText`; empty for the body itself. */
  readonly path: string;
  /** What would have been accepted there. */
  readonly expected: string;
  /** What was sent, shortened; absent when the field was missing. */
  readonly received?: string;
}

/** Optional properties of a failure besides its code and message. */
export interface ServiceErrorOptions {
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[];
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number;
}

/**
 * A failure that the caller is meant to see.
 *
 * @param code an entry of {@link ERRORS}; decides the status of the response.
 * @param message a sentence that says what was wrong, with the value and the limit; default: the table's sentence. The
 * caller receives it unchanged, so it must contain no secret.
 */
export class ServiceError extends Error {
  override name = 'ServiceError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  /**
   * Whether this very request may succeed later; undefined when the table's value for the code applies
   * (docs/contract/errors-and-limits.md#retryable-errors).
   */
  readonly retryable: boolean | undefined;
  /** Seconds after which a retry makes sense, 1 or more; becomes the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string = ERRORS[code].message, options: ServiceErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryable = options.retryable;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
