/** What all requests below the API root share, for operations and streams: authentication, rate limits and errors. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { ERRORS, isLogged } from '../errors/codes.ts';
import { errorBody, publicError } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Context } from '../services/context.ts';
import { admit, type Credentials } from '../mcp/admit.ts';
import { countRequest } from '../services/keys/authenticate.ts';
import { resourceMetadataUrl } from '../services/oauth/addresses.ts';
import type { Admission, WithKeyChecks } from '../services/keys/key-checks.ts';
import type { Caller } from '../services/access/caller.ts';
import type { RateState, WithLimiter } from '../services/limits/rate-limiter.ts';
import { RATE_HEADER_NAMES, rateHeaders, requestIdHeader } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { writeAnswer } from './rest-answer.ts';

/** A request that is being answered. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Headers that the answer will carry. */
  readonly headers: Record<string, string>;
}

/** The same in a handler of Express. */
export interface ExpressExchange extends Exchange {
  readonly request: Request;
  readonly response: Response;
}

/**
 * Checks the key or access token, and counts the request if a bucket is named. Adds the headers that the answer carries from here on.
 *
 * @throws ServiceError unauthorized, too many requests
 */
export async function admitCaller(
  context: Context & WithKeyChecks & WithLimiter,
  credentials: Credentials,
  { request, headers }: Pick<Exchange, 'request' | 'headers'>,
  bucket: string | undefined,
): Promise<Caller> {
  return admittedCaller(await admit(context, credentials, request.headers, bucket), headers);
}

/**
 * The caller of a checked credential. Adds the headers that the answer carries from here on.
 *
 * @throws ServiceError unauthorized, too many requests
 */
export function admittedCaller(admission: Admission | null, headers: Record<string, string>): Caller {
  if (admission === null) throw new ServiceError('unauthorized');
  if (admission.rate !== undefined) {
    Object.assign(headers, rateHeaders(admission.rate));
    refuseWhenFull(admission.rate);
  }
  return admission.caller;
}

/**
 * Counts the request of a caller whose key is already checked. Adds the headers that the answer carries from here on.
 *
 * @throws ServiceError too many requests
 */
export async function countCaller(
  context: Context & WithLimiter,
  { headers }: Pick<Exchange, 'headers'>,
  caller: Caller,
  bucket: string,
): Promise<void> {
  const rate = await countRequest(context, caller, bucket);
  Object.assign(headers, rateHeaders(rate));
  refuseWhenFull(rate);
}

/** @throws ServiceError too many requests */
export function refuseWhenFull(rate: RateState): void {
  if (!rate.allowed) throw new ServiceError('too many requests');
}

/**
 * Answers with the public part of an error, and logs unexpected errors.
 *
 * @param input what was validated, to quote the received values from
 */
export async function writeError(
  context: Context,
  { request, response, headers }: Exchange,
  thrown: unknown,
  input?: unknown,
): Promise<void> {
  const requestId = requestIdOf(response);
  const error = publicError(thrown, input);
  if (isLogged(error.code)) context.log.error({ reqId: requestId, err: thrown }, 'a request failed');
  if (error.code === 'unauthorized') {
    // A credential that ended after the request was counted gets what an unknown one gets.
    for (const name of RATE_HEADER_NAMES) delete headers[name];
    // RFC 9728 section 5.1: programs find out where they get access tokens.
    headers['www-authenticate'] = `Bearer resource_metadata="${resourceMetadataUrl(context.config, 'api')}"`;
  }
  if (error.retryAfterSeconds !== undefined) headers['retry-after'] = String(error.retryAfterSeconds);
  const body = errorBody(error, requestId, `${context.config.publicUrl}/docs/errors`);
  Object.assign(headers, requestIdHeader(body));
  await writeAnswer(request, response, { status: ERRORS[error.code].status, headers, body });
}
