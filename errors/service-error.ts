/** The one error class that services throw, by code; server/error-body.ts turns it into an answer. */
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

  constructor(
    code: ErrorCode,
    message: string = ERRORS[code].message,
    options: { cause?: unknown; details?: readonly ErrorDetail[] } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
  }
}
