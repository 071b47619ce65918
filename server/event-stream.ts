/**
 * Streams of events (server-sent events): GET /api/v2/events for keys, whose receivers are not reachable from outside, and
 * GET /owner/events for the console of a signed-in person. They are not operations because a stream has no body to
 * declare. They use the same checks, rate limits, headers and errors as operations.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../services/context.ts';
import {
  FEED_PAGE,
  feedPosition,
  type FeedPosition,
  type FeedReader,
  canReadFeed,
  readFeed,
} from '../services/events/event-feed.ts';
import type { Caller } from '../services/access/caller.ts';
import { requireScope } from '../services/access/require-scope.ts';
import type { SignedEvent } from '../services/events/event-body.ts';
import type { StreamPlaces } from './event-stream-places.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import type { WithKeyChecks } from '../services/keys/key-checks.ts';
import { admitCaller, type Exchange, writeError } from './rest-request.ts';

/** Path below the API root. */
export const EVENTS_PATH = '/events';

/** Milliseconds between two queries for new events. */
const POLL_INTERVAL_MS = 500;

/** After this many queries without an event the stream sends a comment, so that proxies keep it open: 15 seconds. */
const POLLS_PER_HEARTBEAT = 30;

/** A reader that has not read what it was sent for this many queries is disconnected: 30 seconds. */
const BLOCKED_POLLS_MAX = 60;

/** Milliseconds that a reader has to read the rest when its stream ends. */
const CLOSE_TIMEOUT_MS = 5_000;

/** Milliseconds after which a reader that lost its stream should reconnect. */
const RETRY_MS = 2_000;

export interface EventStreamOptions {
  /** Aborts when the process is asked to stop: streams end then, and readers reconnect to another process. */
  readonly stopping: AbortSignal;
  readonly places: StreamPlaces;
}

/** Who reads a stream. */
interface Admitted {
  readonly caller: Caller;
  readonly reader: FeedReader;
  /** Further messages for this reader since the last call; none when absent. */
  readonly changes?: (() => Promise<string>) | undefined;
}

/** The streams of keys. */
export function eventStreams(context: Context & WithKeyChecks, options: EventStreamOptions): RequestHandler {
  return streamEvents(context, options, async (exchange) => {
    const caller = await admitCaller(context, exchange, EVENTS_PATH);
    requireScope(caller, 'webhooks:read');
    return { caller, reader: { ...caller, credentialId: caller.keyId } };
  });
}

/** @param admit finds out who reads, and throws a ServiceError for those who may not */
export function streamEvents(
  context: Context,
  { stopping, places }: EventStreamOptions,
  admit: (exchange: Exchange) => Promise<Admitted> | Admitted,
): RequestHandler {
  return async (request, response) => {
    const headers: Record<string, string> = { [REQUEST_ID_HEADER]: requestIdOf(response) };
    try {
      const admitted = await admit({ request, response, headers });
      const position = await feedPosition(context, admitted.reader, lastEventIdOf(request));
      if (request.socket.destroyed) return;
      // A stream that has ended uses memory until its connection is closed.
      request.socket.once('close', places.take(admitted.caller));
      begin(request, response, headers, position);
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
  { snapshot }: FeedPosition,
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
  response.write(`retry: ${RETRY_MS}\n${snapshot === null ? '' : `id: ${snapshot}\n`}\n`);
}

/** Ends the answer, and soon after closes the connection of a reader that does not read the rest. */
function end({ socket }: Request, response: Response): void {
  response.end();
  const cut = setTimeout(() => socket.destroy(), CLOSE_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(cut));
}

/** Writes events until the reader leaves, its key or sign-in ends, or the process stops. */
async function relay(
  context: Context,
  response: Response,
  { admitted, position, stopping }: { admitted: Admitted; position: FeedPosition; stopping: AbortSignal },
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const over = AbortSignal.any([left.signal, stopping]);
  const { reader, changes } = admitted;
  let from = position;
  let silent = 0;
  let blocked = 0;
  while (!over.aborted) {
    blocked = response.writableNeedDrain ? blocked + 1 : 0;
    if (blocked > BLOCKED_POLLS_MAX) return void response.destroy();
    if (blocked > 0) {
      if (!(await canReadFeed(context, reader))) return void response.destroy();
    } else {
      const page = await readFeed(context, reader, from);
      if (!page.isAllowed) return;
      from = page.position;
      const news = page.events.map(message).join('') + ((await changes?.()) ?? '');
      silent = news !== '' ? 0 : silent + 1;
      if (news !== '') response.write(news);
      else if (silent % POLLS_PER_HEARTBEAT === 0) response.write(': still here\n\n');
      if (page.events.length === FEED_PAGE && !response.writableNeedDrain) continue;
    }
    await context.clock.sleep(POLL_INTERVAL_MS, over).catch(() => undefined);
  }
}

// Deliveries carry the mode in a header and not in the body, so it has a separate field; other readers ignore it.
function message({ id, event, mode, body }: SignedEvent): string {
  return `id: ${id}\nevent: ${event}\nmode: ${mode}\ndata: ${body}\n\n`;
}

/** Ends the stream after an error. The reader reconnects automatically and resumes at its last event. */
function endBroken(context: Context, response: Response, error: unknown): void {
  if (!response.destroyed) context.log.warn({ reqId: requestIdOf(response), err: error }, 'an event stream failed');
  response.destroy();
}
