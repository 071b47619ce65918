/** Turns any failure into what a person is shown: what happened, what to do, and the code to look up. */
import { TRPCClientError } from '@trpc/client';
import { ERRORS, type ErrorCode } from '../../../errors/codes.ts';
import type { ConsoleRouter } from '../../../routers/console.ts';

export interface Problem {
  /** A code of the error table; null when the service did not answer. */
  readonly code: string | null;
  readonly message: string;
  readonly hint: string | null;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Id to quote in a report; null when there is none. */
  readonly requestId: string | null;
}

const UNANSWERED: Problem = {
  code: null,
  message: 'The service did not answer.',
  hint: 'Check that the service runs and that you are online, then try again.',
  retryable: true,
  requestId: null,
};

/** A send that failed again is an answer of the service, and a failure for the person. */
export class ResultFailure extends Error {
  override name = 'ResultFailure';
  readonly error: { readonly code: string; readonly message: string };

  constructor(error: { readonly code: string; readonly message: string }) {
    super(error.message);
    this.error = error;
  }
}

/** The advice of the error table for a code. */
export function hintOf(code: string): string | null {
  return specOf(code)?.hint ?? null;
}

/** Whether the same request may succeed later. */
export function isRetryable(code: string): boolean {
  return specOf(code)?.retryable ?? false;
}

/** Whether the service answers with this code. */
export function isServiceCode(code: string): boolean {
  return specOf(code) !== null;
}

function specOf(code: string): (typeof ERRORS)[ErrorCode] | null {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode] : null;
}

export function problemOf(failure: unknown): Problem {
  if (failure instanceof ResultFailure) {
    const { code, message } = failure.error;
    const spec = specOf(code);
    return { code, message, hint: spec?.hint ?? null, retryable: spec?.retryable ?? false, requestId: null };
  }
  if (!(failure instanceof TRPCClientError)) {
    const message = failure instanceof Error ? failure.message : String(failure);
    return {
      code: null,
      message: 'Something in this page failed.',
      hint: `Reload the page. It said: ${message}`,
      retryable: false,
      requestId: null,
    };
  }
  const { data, meta } = failure as TRPCClientError<ConsoleRouter>;
  const body = data?.error ?? bodyOutsideTrpc(meta);
  if (body === null) return UNANSWERED;
  const spec = specOf(body.error);
  return {
    code: body.error,
    message: body.message ?? spec?.message ?? failure.message,
    hint: body.hint ?? spec?.hint ?? null,
    retryable: body.retryable ?? spec?.retryable ?? false,
    requestId: body.req_id ?? null,
  };
}

type Body = NonNullable<TRPCClientError<ConsoleRouter>['data']>['error'];

/** The error of an answer that did not reach tRPC, such as that of an expired sign-in. */
function bodyOutsideTrpc(meta: Record<string, unknown> | undefined): Body | null {
  const said = meta?.['responseJSON'];
  if (typeof said !== 'object' || said === null || !('error' in said) || typeof said.error !== 'string') return null;
  return said as Body;
}

/** The code of a failure; null when the service did not answer. */
export function codeOf(failure: unknown): string | null {
  return problemOf(failure).code;
}
