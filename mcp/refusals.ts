/** Answers to requests that do not reach the protocol, in plain HTTP as on REST. */
import { errorBody } from '../errors/error-body.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { Context } from '../services/context.ts';
import { DEFAULT_SCOPES, type Scope } from '../services/access/scopes.ts';
import { type RateState, secondsUntilReset } from '../services/limits/rate-limiter.ts';
import { unknownSelection } from './tool-selection.ts';
import { resourceMetadataUrl } from '../services/oauth/addresses.ts';

/** Answers a foreign Host or Origin. The protocol requires its own error shape here. */
export function forbidden(message: string): Response {
  return protocolError(403, -32_000, message);
}

/** A request that the protocol cannot process. */
export function invalidRequest(message: string): Response {
  return protocolError(400, -32_600, message);
}

/** Any method but POST. There are no sessions, so GET and DELETE have nothing to do. */
export function methodNotAllowed(): Response {
  const answer = protocolError(405, -32_000, 'Method not allowed.');
  answer.headers.set('allow', 'POST');
  return answer;
}

/** A body that is longer than the endpoint reads. */
export function tooLarge(maxBytes: number): Response {
  return protocolError(413, -32_000, `Payload Too Large: Request body must not exceed ${maxBytes} bytes`);
}

/** A mistake of ours before the protocol could answer. */
export function internalError(): Response {
  return protocolError(500, -32_603, 'Internal server error');
}

/**
 * Tells clients where to request access, and which scopes (RFC 9728). Not all of them can request more later, so it
 * names the scopes that ordinary work needs.
 *
 * @param presented whether a key or a token was sent; without one no credential was invalid (RFC 6750 section 3.1)
 */
export function unauthorized(context: Context, requestId: string, presented: boolean): Response {
  const body = errorBody(new ServiceError('unauthorized'), requestId, `${context.config.publicUrl}/docs/errors`);
  const error = presented ? { error: 'invalid_token' } : {};
  const challenge = challengeOf(context, { ...error, scope: DEFAULT_SCOPES.join(' ') });
  return Response.json(body, { status: 401, headers: { 'www-authenticate': challenge } });
}

/**
 * Clients ask the person for more scopes, and then call again.
 *
 * @param asked what they are to ask for
 */
export function insufficientScope(context: Context, asked: readonly Scope[], missing: readonly Scope[]): Response {
  const answer = protocolError(
    403,
    -32_000,
    `This key or access token lacks ${missing.join(', ')}. Use one that has it, or ask the owner to grant it.`,
  );
  const challenge = challengeOf(context, { error: 'insufficient_scope', scope: asked.join(' ') });
  answer.headers.set('www-authenticate', challenge);
  return answer;
}

function challengeOf(context: Context, said: Readonly<Record<string, string>>): string {
  const all = { ...said, resource_metadata: resourceMetadataUrl(context.config, 'mcp') };
  return `Bearer ${Object.entries(all)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}

/** A path under /mcp that selects no tools. */
export function notFound(context: Context, requestId: string, path: string): Response {
  const error = new ServiceError('not_found', unknownSelection(path));
  const body = errorBody(error, requestId, `${context.config.publicUrl}/docs/errors`);
  return Response.json(body, { status: 404 });
}

export function tooManyRequests(context: Context, rate: RateState): Response {
  const body = errorBody(new ServiceError('too many requests'), '', '');
  const seconds = secondsUntilReset(rate, context.clock.now());
  return Response.json(body, { status: 429, headers: { 'retry-after': String(seconds) } });
}

/** A request that was read and is not carried out. @param id of the request */
export function failedRequest(id: string | number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id });
}

function protocolError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code, message }, id: null }, { status });
}
