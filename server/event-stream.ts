/**
 * Streams of events (server-sent events): GET /api/v2/events for keys and access tokens, whose holders have no receiver that is
 * reachable from outside, and GET /owner/events for the console of a signed-in person. They are not operations because a
 * stream has no body to declare. They use the same checks, rate limits, headers and errors as operations.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../services/context.ts';
import {
  feedPosition,
  positionText,
  type FeedEvent,
  type FeedPosition,
  type FeedReader,
} from '../services/events/event-feed.ts';
import { CLOSE_TIMEOUT_MS, followFeed } from '../services/events/follow-feed.ts';
import type { Caller } from '../services/access/caller.ts';
import { requireScope } from '../services/access/require-scope.ts';
import type { EventStreamOptions } from '../services/events/stream-places.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { admit, type Credentials } from '../mcp/admit.ts';
import type { WithLimiter } from '../services/limits/rate-limiter.ts';
import type { WithKeyChecks } from '../services/keys/key-checks.ts';
import { admittedCaller, type ExpressExchange, writeError } from './rest-request.ts';

/** Path below the API root. */
export const EVENTS_PATH = '/events';

/** The scope that a stream requires. */
export const STREAM_SCOPE = 'webhooks:read';

/** After this many queries without an event the stream sends a comment, so that proxies keep it open: 15 seconds. */
const POLLS_PER_HEARTBEAT = 30;

/** Milliseconds after which a reader that lost its stream should reconnect. */
const RETRY_MS = 2_000;

/** Who reads a stream. */
interface Admitted {
  readonly caller: Caller;
  readonly reader: FeedReader;
  /** Further messages for this reader since the last call; none when absent. */
  readonly changes?: (() => Promise<string>) | undefined;
}

/**
 * The streams of keys and of access tokens, which no other path below the API root takes
 * (docs/decisions/0099-stream-events-to-access-tokens-too.md).
 */
export function eventStreams(
  context: Context & WithKeyChecks & WithLimiter,
  credentials: Credentials,
  options: EventStreamOptions,
): RequestHandler {
  return streamEvents(context, options, async ({ request, headers }) => {
    const admission = await admit(context, credentials, request.headers, EVENTS_PATH);
    const caller = admittedCaller(admission, headers);
    requireScope(caller, STREAM_SCOPE);
    return { caller, reader: { ...caller, credentialId: caller.keyId, expiresAt: admission?.expiresAt } };
  });
}

/** @param identify finds out who reads, and throws a ServiceError for those who may not */
export function streamEvents(
  context: Context,
  { stopping, places }: EventStreamOptions,
  identify: (exchange: ExpressExchange) => Promise<Admitted> | Admitted,
): RequestHandler {
  return async (request, response) => {
    const headers: Record<string, string> = { [REQUEST_ID_HEADER]: requestIdOf(response) };
    try {
      const admitted = await identify({ request, response, headers });
      const position = await feedPosition(context, admitted.reader, lastEventIdOf(request));
      if (request.socket.destroyed) return;
      // A stream that has ended uses memory until its connection is closed.
      request.socket.once('close', places.take(admitted.caller));
      begin(request, response, headers, positionText(context, position));
      if (request.method !== 'HEAD') await relay(context, response, { admitted, position, stopping });
      end(request, response);
    } catch (thrown) {
      if (response.headersSent) return endBroken(context, response, thrown);
      await writeError(context, { request, response, headers }, thrown);
    }
  };
}

function lastEventIdOf(request: Request): string | undefined {
  const id = request.headers['last-event-id'];
  return id === undefined || id === '' ? undefined : String(id);
}

function begin(
  request: Request,
  response: Response,
  headers: Readonly<Record<string, string>>,
  /** Null for a reader that continues after an event. */
  start: string | null,
): void {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    // Without this header nginx buffers small messages.
    'x-accel-buffering': 'no',
  });
  if (request.method === 'HEAD') return;
  // A reader that loses the stream before the first event resumes from this point.
  response.write(`retry: ${RETRY_MS}\n${start === null ? '' : `id: ${start}\n`}\n`);
}

/** Ends the answer, and soon after closes the connection of a reader that does not read the rest. */
function end({ socket }: Request, response: Response): void {
  response.end();
  const cut = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(cut));
}

/** Writes events until the reader leaves, its key, token or sign-in ends, or the process stops. */
async function relay(
  context: Context,
  response: Response,
  { admitted, position, stopping }: { admitted: Admitted; position: FeedPosition; stopping: AbortSignal },
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const over = AbortSignal.any([left.signal, stopping]);
  const { reader, changes } = admitted;
  let silent = 0;
  const outcome = await followFeed(context, reader, position, {
    over,
    isBlocked: () => response.writableNeedDrain,
    deliver: async (page) => {
      const news = page.events.map(message).join('') + ((await changes?.()) ?? '');
      silent = news !== '' ? 0 : silent + 1;
      if (news !== '') response.write(news);
      else if (silent % POLLS_PER_HEARTBEAT === 0) response.write(heartbeat(positionText(context, page.position)));
    },
  });
  if (outcome === 'blocked') response.destroy();
}

/** Its id keeps a reader without events from being away for too long, when it reconnects. */
function heartbeat(position: string | null): string {
  return `: still here\n${position === null ? '' : `id: ${position}\n`}\n`;
}

// Deliveries carry the mode in a header and not in the body, so it has a separate field; other readers ignore it.
function message({ position, event, mode, body }: FeedEvent): string {
  return `id: ${position}\nevent: ${event}\nmode: ${mode}\ndata: ${body}\n\n`;
}

/** Ends the stream after an error. The reader reconnects automatically and resumes at its last event. */
function endBroken(context: Context, response: Response, error: unknown): void {
  if (!response.destroyed) context.log.warn({ reqId: requestIdOf(response), err: error }, 'an event stream failed');
  response.destroy();
}
