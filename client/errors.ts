/** The errors of the client, and how to recognise an error of the service. */
import type { ErrorBody, ErrorCode } from './api-types.ts';

/** An answer of the service that is not a success, or a status of something in between, such as a proxy. */
export class CarillonError extends Error {
  override name = 'CarillonError';
  /** HTTP status. */
  readonly status: number;
  /** Undefined when the answer has no body of the service. */
  readonly body: ErrorBody | undefined;
  /** Milliseconds after which the answer asks to try again, if it does. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    { status, body, retryAfterMs }: Pick<CarillonError, 'status' | 'body' | 'retryAfterMs'>,
  ) {
    super(message);
    this.status = status;
    this.body = body;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer, or only a part of it, arrived. The request may have been processed. */
export class NoAnswerError extends Error {
  override name = 'NoAnswerError';
}

/** The error body of the service in a thrown value; undefined when it is no error of the service. */
export function errorBodyOf(thrown: unknown): ErrorBody | undefined {
  for (let error: unknown = thrown; error instanceof Error; error = error.cause) {
    const { body, data } = error as { body?: unknown; data?: { error?: unknown } | null };
    for (const found of [body, data?.error]) if (isErrorBody(found)) return found;
  }
  return undefined;
}

/** Whether an error of the service with one of these codes was thrown, such as `queue_full`. */
export function hasErrorCode(thrown: unknown, ...codes: readonly ErrorCode[]): boolean {
  const code = errorBodyOf(thrown)?.error;
  return code !== undefined && codes.includes(code);
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string';
}
