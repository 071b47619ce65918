/** Parts of answers, so that tests can compare whole bodies. */
import { expect } from 'vitest';
import { ERRORS, type ErrorCode } from '../../errors/codes.ts';
import type { ErrorBody } from '../../errors/error-body.ts';
import { PUBLIC_URL } from './world.ts';

/** Any id that the service generates: a UUIDv7. */
export const UUID: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
);

/** A well-formed id that does not exist. */
export const UNKNOWN_ID = '01936b5e-0000-7000-8000-000000000000';

/** The whole body of a refusal, from the error table. */
export function refusal(code: ErrorCode, message: string, extra: Partial<ErrorBody> = {}): ErrorBody {
  const { hint, retryable } = ERRORS[code];
  return { error: code, message, hint, docs: `${PUBLIC_URL}/docs/errors#${code}`, retryable, ...extra };
}

/** What the result of a connection has, besides its slug and the error, when no post was stored. */
export const NO_POST = {
  status: 'failed',
  postId: null,
  url: null,
  scheduledFor: null,
  threadCount: 0,
  hasFirstComment: false,
} as const;
