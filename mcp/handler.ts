/**
 * The /mcp endpoint for Express. It checks Host and Origin, then the key or access token, then its own rate-limit
 * bucket, then the protocol (docs/contract/agents.md#tool-results,
 * docs/contract/errors-and-limits.md#order-of-a-request). It reads the body itself, so mount it before any body parser.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Request as HttpRequest, RequestHandler, Response as HttpResponse } from 'express';
import { ServiceError } from '../errors/service-error.ts';
import { countRequest } from '../services/keys/authenticate.ts';
import type { Caller } from '../services/access/caller.ts';
import type { RateState, WithLimiter } from '../services/limits/rate-limiter.ts';
import { admit, type Credentials } from './admit.ts';
import { messageOf } from './message.ts';
import { corsHeaders, createOriginGuard, isPreflight } from './origin-guard.ts';
import { BODY_MAX_BYTES, createProtocol } from './protocol.ts';
import {
  forbidden,
  internalError,
  invalidRequest,
  notFound,
  tooLarge,
  tooManyRequests,
  unauthorized,
} from './refusals.ts';
import type { ServerOptions } from './server.ts';
import type { ClientConnection } from './subscriptions.ts';
import { selectionAt } from './tool-selection.ts';
import type { OperationServices } from '../routers/context.ts';
import type { WithKeyChecks } from '../services/keys/key-checks.ts';

/** Options that the mounting application shares with other surfaces. */
export interface McpHandlerOptions extends Credentials, ServerOptions {
  readonly requestIdOf: (response: HttpResponse) => string;
  /** Name of the header that carries the request id. */
  readonly requestIdHeader: string;
  readonly rateHeaders: (rate: RateState) => Record<string, string>;
  /** @throws ServiceError request_too_large */
  readonly readBody: (request: HttpRequest, maxBytes: number) => Promise<Buffer>;
}

/** Bucket that every request to this endpoint counts in. */
const BUCKET = '/mcp';

export function createMcpHandler(
  context: OperationServices & WithKeyChecks & WithLimiter,
  options: McpHandlerOptions,
): RequestHandler {
  const guard = createOriginGuard(context.config.publicUrl);
  const protocol = createProtocol(context, options);

  return async (request, response) => {
    const refusal = guard(request.headers);
    if (refusal !== null) return write(request, response, forbidden(refusal));
    setHeaders(response, { ...corsHeaders(request.headers), 'cache-control': 'no-store' });
    if (isPreflight(request)) return write(request, response, new Response(null, { status: 204 }));

    const requestId = options.requestIdOf(response);
    const admission = await admit(context, options, request.headers, BUCKET);
    if (admission?.rate === undefined) {
      const presented = options.presentedKey(request.headers) !== undefined;
      return write(request, response, unauthorized(context, requestId, presented));
    }
    const { caller, rate, expiresAt } = admission;
    setHeaders(response, { [options.requestIdHeader]: requestId, ...options.rateHeaders(rate) });
    if (!rate.allowed) return write(request, response, tooManyRequests(context, rate));
    const selection = selectionAt(request.path);
    if (selection === null) return write(request, response, notFound(context, requestId, request.path));

    const countMore = async (messages: number) => {
      const latest = await countMessages(context, caller, rate, messages);
      setHeaders(response, options.rateHeaders(latest));
      return latest;
    };
    const ask = async () => {
      const bytes = hasBody(request) ? await options.readBody(request, BODY_MAX_BYTES) : undefined;
      const connect = () => connectionOf(response);
      return protocol(messageOf(request, bytes), { caller, requestId, selection, countMore, expiresAt, connect });
    };
    const answer = await ask().catch((error: unknown) => failure(context, error));
    if (typeof answer === 'string') return writeJson(response, answer);
    await (isStream(answer) ? stream(response, answer) : write(request, response, answer));
  };
}

function hasBody({ method }: HttpRequest): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

function failure(context: OperationServices, error: unknown): Response {
  // Of the body: it is too long, or it ended early.
  if (error instanceof ServiceError && error.code === 'request_too_large') return tooLarge(BODY_MAX_BYTES);
  if (error instanceof ServiceError && error.code === 'invalid_request') return invalidRequest(error.message);
  context.log.error({ err: error }, 'an MCP request failed');
  return internalError();
}

function connectionOf(response: HttpResponse): ClientConnection {
  const closed = new AbortController();
  const left = new AbortController();
  const onClose = () => {
    closed.abort();
    if (!response.writableFinished) left.abort();
  };
  if (response.closed) onClose();
  else response.once('close', onClose);
  return {
    closed: closed.signal,
    left: left.signal,
    isBlocked: () => response.writableNeedDrain,
    destroy: () => void response.destroy(),
  };
}

function isStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** Writes an answer as it comes. A client that disconnects ends it. */
async function stream(response: HttpResponse, answer: Response): Promise<void> {
  setHeaders(response, Object.fromEntries(answer.headers));
  response.status(answer.status).flushHeaders();
  await pipeline(Readable.fromWeb(answer.body as ReadableStream), response).catch(() => undefined);
}

/** Counts the messages of a batch after the first: all of them, or none when the window has no room for all. */
async function countMessages(
  context: OperationServices & WithKeyChecks & WithLimiter,
  caller: Caller,
  first: RateState,
  messages: number,
): Promise<RateState> {
  if (messages > first.remaining) return { ...first, allowed: false };
  let latest = first;
  for (let taken = 0; taken < messages && latest.allowed; taken += 1)
    latest = await countRequest(context, caller, BUCKET);
  return latest;
}

function setHeaders(response: HttpResponse, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}

/** Text of ASCII alone needs no conversion. */
function writeJson(response: HttpResponse, json: string): void {
  const length = Buffer.byteLength(json);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
  response.end(json, length === json.length ? 'latin1' : 'utf8');
}

/** Writes a whole answer. An unread body must not be parsed as the next request on this connection. */
async function write(request: HttpRequest, response: HttpResponse, answer: Response): Promise<void> {
  if (!request.complete) response.setHeader('connection', 'close');
  setHeaders(response, Object.fromEntries(answer.headers));
  response.status(answer.status).end(await answer.text());
}
