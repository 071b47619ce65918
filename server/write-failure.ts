/** Answers a request that failed outside of an operation. */
import type { ServerResponse } from 'node:http';
import { ERRORS, isLogged } from '../errors/codes.ts';
import { errorBody, publicError } from '../errors/error-body.ts';
import type { Context } from '../services/context.ts';
import { CORS_HEADERS } from './cors.ts';
import { requestIdHeader } from './rate-headers.ts';
import { isForApi } from './request-paths.ts';
import { requestIdOf } from './request-id.ts';
import { secureHeaders } from './secure-headers.ts';

/** Closes the connection of an answer that has begun. */
export function writeFailure(context: Context, response: ServerResponse, thrown: unknown): void {
  const error = publicError(thrown);
  const requestId = requestIdOf(response);
  if (isLogged(error.code)) context.log.error({ reqId: requestId, err: thrown }, 'a request failed');
  if (response.headersSent) return void response.destroy();
  const failed = errorBody(error, requestId, `${context.config.publicUrl}/docs/errors`);
  const body = JSON.stringify(failed);
  response.writeHead(ERRORS[error.code].status, {
    ...secureHeaders(context.config),
    // A page elsewhere must be able to read what refuses its call.
    ...(isForApi(response.req.url ?? '') && CORS_HEADERS),
    ...requestIdHeader(failed),
    ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
