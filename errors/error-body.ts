/** The one place that converts an error into the response of a caller, on every surface. */
import { ZodError } from 'zod';
import { zodDetails } from './zod-details.ts';
import { ERRORS, type ErrorCode } from './codes.ts';
import { type ErrorDetail, ServiceError } from './service-error.ts';

/** The body of an error response (docs/contract/errors-and-limits.md#error-bodies). */
export interface ErrorBody {
  error: ErrorCode;
  message?: string;
  hint?: string;
  docs?: string;
  details?: readonly ErrorDetail[];
  retryable?: boolean;
  req_id?: string;
}

/** Most validation issues in one response. */
const DETAILS_MAX = 20;

/**
 * Converts a failure into what the caller may see. An error that is neither a ServiceError nor a failed validation
 * becomes internal_server_error, without any of its text; one about a full disk becomes storage_unavailable.
 *
 * @param input what was validated, to quote the received values from
 */
export function publicError(error: unknown, input?: unknown): ServiceError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof ServiceError) return cause;
    if (cause instanceof ZodError) return invalidInput(cause, input);
    if (isDiskFull(cause)) return new ServiceError('storage_unavailable', undefined, { cause: error });
  }
  return new ServiceError('internal_server_error', undefined, { cause: error });
}

/** What PostgreSQL and the file system report when there is no space left. */
const DISK_FULL = ['53100', 'ENOSPC', 'EDQUOT'];

function isDiskFull(error: Error): boolean {
  return 'code' in error && DISK_FULL.includes(String(error.code));
}

/**
 * The error for an input that failed validation.
 *
 * @param input the whole request, to quote the received values from
 * @param prefix path of the validated value inside the request
 */
export function invalidInput(error: ZodError, input: unknown, prefix: readonly string[] = []): ServiceError {
  const details = zodDetails(error, input, prefix).slice(0, DETAILS_MAX);
  const message = details
    .map(({ path, expected }) => `${path === '' ? 'body' : path}: expected ${expected}`)
    .join('; ');
  return new ServiceError('invalid_request', `${message}.`, { details, cause: error });
}

/**
 * @param docsUrl page whose sections explain the codes
 */
export function errorBody(error: ServiceError, requestId: string, docsUrl: string): ErrorBody {
  const { code } = error;
  // This body has no message, and clients compare it as a whole (docs/contract/errors-and-limits.md#error-bodies).
  if (code === 'too many requests') return { error: code };
  const spec: (typeof ERRORS)[ErrorCode] & { reportsRequestId?: true } = ERRORS[code];
  return {
    error: code,
    message: error.message,
    hint: spec.hint,
    docs: `${docsUrl}#${code}`,
    ...(error.details === undefined ? {} : { details: error.details }),
    retryable: error.retryable ?? spec.retryable,
    ...(spec.reportsRequestId ? { req_id: requestId } : {}),
  };
}
