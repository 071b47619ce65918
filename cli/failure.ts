/** Turns what a command threw into a message, an exit code and a JSON body. */
import { ERRORS, type ErrorCode } from '../errors/codes.ts';
import type { ErrorBody } from '../errors/error-body.ts';
import { CarillonError, NoAnswerError } from '../client/errors.ts';
import { EXIT_CODES, exitKindOf, exitKindOfSend, type ExitKind } from './exit-codes.ts';
import { NoServerError, UsageError } from './operator-client.ts';

/** A failure that the command line finds itself. */
export class CommandError extends Error {
  override name = 'CommandError';
  readonly kind: ExitKind;
  readonly hint: string | undefined;

  constructor(kind: ExitKind, message: string, hint?: string) {
    super(message);
    this.kind = kind;
    this.hint = hint;
  }
}

/** A failure after a part of the work was done. */
export class PartialError extends Error {
  override name = 'PartialError';
  /** What `--json` prints beside the error. */
  readonly done: object;

  constructor(cause: unknown, done: object) {
    super('A part of the work was done.', { cause });
    this.done = done;
  }
}

/** A failure after which a post may be up. */
export class UnknownSendError extends Error {
  override name = 'UnknownSendError';

  constructor(cause: unknown) {
    super('The post may have gone out.', { cause });
  }
}

export interface Failure {
  readonly exitCode: number;
  readonly message: string;
  readonly hint: string | undefined;
  /** The error body of the service, or one of the same shape. */
  readonly body: object;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof PartialError) {
    const failure = failureOf(error.cause);
    return { ...failure, body: { ...failure.body, ...error.done } };
  }
  if (error instanceof UnknownSendError) return ofUnknownSend(failureOf(error.cause));
  if (error instanceof UsageError) return ours('usage', error.message);
  if (error instanceof CommandError) return ours(error.kind, error.message, error.hint);
  if (error instanceof NoServerError) return ours('unavailable', error.message);
  if (error instanceof CarillonError) return ofAnswer(error);
  if (error instanceof NoAnswerError) return noAnswer(error);
  // The client wraps what keeps it from sending a call, such as a sign-in that has ended.
  if (error instanceof Error && error.cause instanceof CommandError) return failureOf(error.cause);
  // It wraps an error of a whole request, too.
  if (error instanceof Error && error.cause instanceof CarillonError && error.cause.body !== undefined)
    return ofAnswer(error.cause);
  const answer = (error as { data?: { error?: ErrorBody; httpStatus?: number } | null }).data;
  if (answer?.error !== undefined) return ofService(answer.error, answer.httpStatus ?? statusOf(answer.error.error));
  if (error instanceof Error && error.name === 'TRPCClientError') return noAnswer(error);
  return ours('failed', error instanceof Error ? error.message : String(error));
}

/** The exit code of the error of one connection. */
export function exitCodeOfItem(code: string): number {
  return EXIT_CODES[exitKindOfSend(code, statusOf(code))].code;
}

function statusOf(code: string): number {
  return Object.hasOwn(ERRORS, code) ? ERRORS[code as ErrorCode].status : 0;
}

function ofService(body: ErrorBody, status: number): Failure {
  const { error, message = error, hint } = body;
  return { exitCode: EXIT_CODES[exitKindOf(error, status)].code, message, hint, body };
}

function ofAnswer({ body, status, message }: CarillonError): Failure {
  return body === undefined ? ours(exitKindOf('', status), message) : ofService(body, status);
}

function ofUnknownSend({ message, body }: Failure): Failure {
  const hint = 'The post may have gone out. Look before you run the command again: carillon posts list';
  return { exitCode: EXIT_CODES.unknown.code, message, hint, body: { ...body, hint } };
}

function noAnswer({ message }: Error): Failure {
  return ours('unavailable', message, 'Check the address with: carillon whoami');
}

function ours(kind: ExitKind, message: string, hint?: string): Failure {
  const body = { error: kind, message, ...(hint === undefined ? {} : { hint }) };
  return { exitCode: EXIT_CODES[kind].code, message, hint, body };
}
