/** Answers to requests that do not reach the protocol, in plain HTTP as on REST. */
import { errorBody } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Context } from '../services/context.ts';
import type { RateState } from '../services/limits/rate-limiter.ts';
import { unknownSelection } from './tool-selection.ts';

/** A foreign Host or Origin. The protocol asks for its own error shape here. */
export function forbidden(message: string): Response {
  return protocolError(403, -32_000, message);
}

/** A request that the protocol cannot take as it stands. */
export function invalidRequest(message: string): Response {
  return protocolError(400, -32_600, message);
}

export function unauthorized(context: Context, requestId: string): Response {
  const body = errorBody(new ServiceError('unauthorized'), requestId, `${context.config.publicUrl}/docs/errors`);
  return Response.json(body, { status: 401, headers: { 'www-authenticate': 'Bearer realm="Carillon"' } });
}

/** A path under /mcp at which there are no tools. */
export function notFound(context: Context, requestId: string, path: string): Response {
  const error = new ServiceError('not_found', unknownSelection(path));
  const body = errorBody(error, requestId, `${context.config.publicUrl}/docs/errors`);
  return Response.json(body, { status: 404 });
}

export function tooManyRequests(context: Context, rate: RateState): Response {
  const body = errorBody(new ServiceError('too many requests'), '', '');
  const seconds = Math.max(1, rate.resetAt - Math.floor(context.clock.now().getTime() / 1000));
  return Response.json(body, { status: 429, headers: { 'retry-after': String(seconds) } });
}

function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
