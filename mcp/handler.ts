/**
 * The /mcp endpoint. It checks Host and Origin, then the key or access token, then its own rate-limit bucket, then the
 * protocol (docs/contract/agents.md#tool-results, docs/contract/errors-and-limits.md#order-of-a-request).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
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
  methodNotAllowed,
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
  readonly requestIdOf: (response: ServerResponse) => string;
  /** Headers of every answer of the service. */
  readonly commonHeaders: Headers;
  /** Name of the header that carries the request id. */
  readonly requestIdHeader: string;
  readonly rateHeaders: (rate: RateState) => Record<string, string>;
  /** @throws ServiceError request_too_large */
  readonly readBody: (request: IncomingMessage, maxBytes: number) => Promise<Buffer>;
  /** Ends an answer whose headers are written. */
  readonly endWithText: (response: ServerResponse, text: string, length: number) => void;
}

/** Answers one request. Rejects when the caller could not be checked. */
export type McpHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/** Bucket that every request to this endpoint counts in. */
const BUCKET = '/mcp';

type Headers = Readonly<Record<string, string>>;

/** A request, and the headers that its answer will carry. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly headers: Record<string, string>;
}

export function createMcpHandler(
  context: OperationServices & WithKeyChecks & WithLimiter,
  options: McpHandlerOptions,
): McpHandler {
  const guard = createOriginGuard(context.config.publicUrl);
  const protocol = createProtocol(context, options);

  return async (request, response) => {
    const headers: Record<string, string> = { ...options.commonHeaders };
    const exchange: Exchange = { request, response, headers };
    const refusal = guard(request.headers);
    if (refusal !== null) return write(exchange, forbidden(refusal));
    // Set at once, so that a page can also read a failure.
    for (const [name, value] of Object.entries(corsHeaders(request.headers))) response.setHeader(name, value);
    headers['cache-control'] = 'no-store';
    if (isPreflight(request)) return write(exchange, new Response(null, { status: 204 }));

    const requestId = options.requestIdOf(response);
    const admission = await admit(context, options, request.headers, BUCKET);
    if (admission?.rate === undefined) {
      const presented = options.presentedKey(request.headers) !== undefined;
      return write(exchange, unauthorized(context, requestId, presented));
    }
    const { rate } = admission;
    headers[options.requestIdHeader] = requestId;
    Object.assign(headers, options.rateHeaders(rate));
    if (!rate.allowed) return write(exchange, tooManyRequests(context, rate));
    const path = request.url?.split(/[?#]/, 1)[0] ?? '';
    const selection = selectionAt(path);
    if (selection === null) return write(exchange, notFound(context, requestId, path));
    if (request.method !== 'POST') return write(exchange, methodNotAllowed());

    const isLate = !request.complete;
    const ask = async () => {
      const bytes = await options.readBody(request, BODY_MAX_BYTES);
      // The key or grant may have ended while the body was held back.
      const latest = isLate ? await admit(context, options, request.headers, undefined) : admission;
      if (latest === null) return unauthorized(context, requestId, true);
      const { caller, expiresAt } = latest;
      const countMore = async (messages: number) => {
        const counted = await countMessages(context, caller, rate, messages);
        Object.assign(headers, options.rateHeaders(counted));
        return counted;
      };
      const connect = () => connectionOf(response);
      return protocol(messageOf(request, bytes), { caller, requestId, selection, countMore, expiresAt, connect });
    };
    const answer = await ask().catch((error: unknown) => failure(context, error));
    if (typeof answer === 'string') {
      const length = Buffer.byteLength(answer);
      response.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': length });
      return options.endWithText(response, answer, length);
    }
    await (isStream(answer) ? stream(exchange, answer) : write(exchange, answer));
  };
}

function failure(context: OperationServices, error: unknown): Response {
  // Of the body: it is too long, or it ended early.
  if (error instanceof ServiceError && error.code === 'request_too_large') return tooLarge(BODY_MAX_BYTES);
  if (error instanceof ServiceError && error.code === 'invalid_request') return invalidRequest(error.message);
  context.log.error({ err: error }, 'an MCP request failed');
  return internalError();
}

function connectionOf(response: ServerResponse): ClientConnection {
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
async function stream({ response, headers }: Exchange, answer: Response): Promise<void> {
  response.writeHead(answer.status, { ...headers, ...Object.fromEntries(answer.headers) });
  response.flushHeaders();
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

/** Writes a whole answer. An unread body must not be parsed as the next request on this connection. */
async function write({ request, response, headers }: Exchange, answer: Response): Promise<void> {
  if (!request.complete) headers['connection'] = 'close';
  const body = await answer.text();
  const length = answer.status === 204 ? {} : { 'content-length': Buffer.byteLength(body) };
  response.writeHead(answer.status, { ...headers, ...Object.fromEntries(answer.headers), ...length });
  response.end(body);
}
