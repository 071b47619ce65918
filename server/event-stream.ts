/**
 * GET /api/v2/events: streams the events that a key is subscribed to (server-sent events), for receivers that are not
 * reachable from outside. It is not an operation because a stream has no body to declare. It uses the same key check,
 * rate limit, headers and errors as operations.
 */
import type { Request, RequestHandler, Response } from 'express';
import type { Context } from '../services/context.ts';
import { FEED_PAGE, feedPosition, type FeedPosition, mayHear, readFeed } from '../services/events/event-feed.ts';
import type { Caller } from '../services/keys/caller.ts';
import { requireScope } from '../services/keys/require-scope.ts';
import type { SignedEvent } from '../services/webhooks/delivery-headers.ts';
import { createStreamPlaces } from './event-stream-places.ts';
import { REQUEST_ID_HEADER } from './rate-headers.ts';
import { requestIdOf } from './request-id.ts';
import { admitCaller, writeError } from './rest-request.ts';

/** Path below the API root. */
export const EVENTS_PATH = '/events';

/** Milliseconds between two queries for new events. */
const LOOK_EVERY_MS = 500;

/** After this many queries without an event the stream sends a comment, so that proxies keep it open: 15 seconds. */
const LOOKS_PER_HEARTBEAT = 30;

/** A reader that has not read what it was sent for this many queries is disconnected: 30 seconds. */
const BLOCKED_LOOKS_MAX = 60;

/** Milliseconds that a reader has to read the rest when its stream ends. */
const LAST_WORDS_MS = 5_000;

/** Milliseconds after which a reader that lost its stream should reconnect. */
const RETRY_MS = 2_000;

/**
 * @param stopping aborts when the process is asked to stop: streams end then, and readers reconnect to another process
 */
export function eventStreams(context: Context, stopping: AbortSignal): RequestHandler {
  const places = createStreamPlaces();
  return async (request, response) => {
    const headers: Record<string, string> = { [REQUEST_ID_HEADER]: requestIdOf(response) };
    try {
      const caller = await admitCaller(context, { request, headers }, EVENTS_PATH);
      requireScope(caller, 'webhooks:read');
      const position = await feedPosition(context, caller, lastEventIdOf(request));
      if (request.socket.destroyed) return;
      // A stream that has ended uses memory until its connection is closed.
      request.socket.once('close', places.take(caller));
      begin(request, response, headers, position);
      if (request.method !== 'HEAD') await relay(context, response, { caller, position, stopping });
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
  const cut = setTimeout(() => socket.destroy(), LAST_WORDS_MS);
  socket.once('close', () => clearTimeout(cut));
}

/** Writes events until the reader leaves, the key is revoked or the process stops. */
async function relay(
  context: Context,
  response: Response,
  { caller, position, stopping }: { caller: Caller; position: FeedPosition; stopping: AbortSignal },
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const over = AbortSignal.any([left.signal, stopping]);
  let from = position;
  let silent = 0;
  let blocked = 0;
  while (!over.aborted) {
    blocked = response.writableNeedDrain ? blocked + 1 : 0;
    if (blocked > BLOCKED_LOOKS_MAX) return void response.destroy();
    if (blocked > 0) {
      if (!(await mayHear(context, caller))) return void response.destroy();
    } else {
      const page = await readFeed(context, caller, from);
      if (!page.isAllowed) return;
      from = page.position;
      silent = page.events.length > 0 ? 0 : silent + 1;
      if (page.events.length > 0) response.write(page.events.map(message).join(''));
      else if (silent % LOOKS_PER_HEARTBEAT === 0) response.write(': still here\n\n');
      if (page.events.length === FEED_PAGE && !response.writableNeedDrain) continue;
    }
    await context.clock.sleep(LOOK_EVERY_MS, over).catch(() => undefined);
  }
}

// Deliveries carry the mode in a header and not in the body, so it has a separate field; other readers ignore it.
function message({ id, event, mode, body }: SignedEvent): string {
  return `id: ${id}\nevent: ${event}\nmode: ${mode}\ndata: ${body}\n\n`;
}

/** Ends the stream after an error. The reader reconnects automatically and resumes at its last event. */
function endBroken(context: Context, response: Response, error: unknown): void {
  if (!response.destroyed)
    context.log.warn({ reqId: requestIdOf(response), err: error }, 'a stream of events broke off');
  response.destroy();
}
