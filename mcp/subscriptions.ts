/**
 * Serves subscriptions/listen of revision 2026-07-28: a stream that notifies a client when an event concerns a resource that
 * it named (docs/contract/agents.md#subscriptions). The SDK writes the stream, from a bus that the event feed of the caller
 * fills. Events of other processes come the same way, from the database.
 */
import {
  createMcpHandler,
  type McpServerFactory,
  ProtocolErrorCode,
  type ServerEvent,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import { ServiceError } from '../errors/service-error.ts';
import type { Context } from '../services/context.ts';
import {
  type FeedEvent,
  type FeedPosition,
  type FeedReader,
  feedPosition,
  REPLAY_DAYS,
} from '../services/events/event-feed.ts';
import { CLOSE_TIMEOUT_MS, followFeed } from '../services/events/follow-feed.ts';
import type { EventStreamOptions } from '../services/events/stream-places.ts';
import type { ServedCall } from './call-operation.ts';
import { type ListenRequest, readListenRequest } from './listen-request.ts';
import { failedRequest } from './refusals.ts';
import { resourcesOf, WATCHED_EVENTS, type WatchedResources, watchedResources } from './watched-resources.ts';

/** In `_meta` of a notification: the position after the event behind it. */
export const EVENT_ID_META_KEY = 'carillon/eventId';

/** The connection on which a stream is sent. */
export interface ClientConnection {
  /** Aborts when the answer is over and uses no more memory. */
  readonly closed: AbortSignal;
  /** Aborts when the client disconnects before it has the whole answer. */
  readonly left: AbortSignal;
  /** Whether the client has not yet read what it was sent. */
  isBlocked(): boolean;
  destroy(): void;
}

/** A call that can be answered with a stream. */
export interface StreamedCall extends ServedCall {
  /** When the access token of the caller expires; absent for keys. */
  readonly expiresAt: Date | undefined;
  readonly connection: ClientConnection;
}

type Passed = NonNullable<Parameters<ReturnType<typeof createMcpHandler>['fetch']>[1]>;

/** Answers with the SDK's own handler, for requests that open no stream. */
type Answer = (request: Request, passed: Passed) => Promise<Response>;

export interface Subscriptions {
  /** @param answer for requests that watch nothing */
  serve(request: Request, call: StreamedCall, passed: Passed, answer: Answer): Promise<Response>;
}

export function createSubscriptions(
  context: Context,
  factory: McpServerFactory,
  { places, stopping }: EventStreamOptions,
): Subscriptions {
  return {
    serve: async (request, call, passed, answer) => {
      const listen = readListenRequest(passed.parsedBody);
      if (listen === null) return answer(request, passed);
      const watched = await watchedResources(context, call.caller, listen.uris);
      const narrowed = { ...passed, parsedBody: listen.narrowedTo([...watched.values()]) };
      if (watched.size === 0) return answer(request, narrowed);
      const { caller, expiresAt, connection } = call;
      const reader: FeedReader = { ...caller, credentialId: caller.keyId, expiresAt, names: WATCHED_EVENTS };
      try {
        // Before the acknowledgement, so that each later event is notified.
        const position = await beginningOf(context, reader, listen);
        onceAborted(connection.closed, places.take(caller));
        const stream = createStream(context, factory);
        const response = await stream.handler.fetch(request, narrowed);
        if (!stream.isOpen()) return response;
        void relay(context, call, stream, { reader, position, watched, stopping });
        // An idle connection of an ended stream would delay the stop of the process.
        response.headers.set('connection', 'close');
        return response;
      } catch (error) {
        if (error instanceof ServiceError) return refusal(listen, error);
        throw error;
      }
    },
  };
}

interface Relayed {
  readonly reader: FeedReader;
  readonly position: FeedPosition;
  readonly watched: WatchedResources;
  readonly stopping: AbortSignal;
}

/** Notifies the client until it leaves, its key or token ends, or the process stops. */
async function relay(
  context: Context,
  { requestId, connection }: StreamedCall,
  stream: Stream,
  { reader, position, watched, stopping }: Relayed,
): Promise<void> {
  try {
    const outcome = await followFeed(context, reader, position, {
      over: AbortSignal.any([stream.left, stopping]),
      isBlocked: connection.isBlocked,
      deliver: ({ events }) => events.forEach((event) => notify(stream.bus, watched, event)),
    });
    if (outcome === 'blocked') return connection.destroy();
    await stream.handler.close();
    // A client may not read the end of its stream.
    context.clock.deadline(CLOSE_TIMEOUT_MS).addEventListener('abort', connection.destroy);
  } catch (error) {
    context.log.warn({ reqId: requestId, err: error }, 'an event stream failed');
    connection.destroy();
  }
}

type Stream = ReturnType<typeof createStream>;

/** A handler for one stream, with the bus that only this stream reads. */
function createStream(context: Context, factory: McpServerFactory) {
  const left = new AbortController();
  let listener: ((event: ServerEvent) => void) | undefined;
  const bus: ServerEventBus = {
    publish: (event) => listener?.(event),
    subscribe: (added) => {
      listener = added;
      return () => left.abort();
    },
  };
  const handler = createMcpHandler(factory, {
    legacy: 'reject',
    bus,
    onerror: (error) => context.log.warn({ err: error }, 'an MCP request was not served'),
  });
  return { handler, bus, left: left.signal, isOpen: () => listener !== undefined };
}

function notify(bus: ServerEventBus, watched: WatchedResources, event: FeedEvent): void {
  for (const resource of resourcesOf(event)) {
    const uri = watched.get(resource);
    if (uri !== undefined)
      bus.publish({ kind: 'resource_updated', uri, params: { _meta: { [EVENT_ID_META_KEY]: event.position } } });
  }
}

/** @throws ServiceError invalid_request for an event after which the caller cannot continue */
async function beginningOf(
  context: Context,
  reader: FeedReader,
  { lastEventId }: ListenRequest,
): Promise<FeedPosition> {
  return feedPosition(context, reader, lastEventId).catch((error: unknown) => {
    if (!(error instanceof ServiceError) || lastEventId === undefined) throw error;
    throw new ServiceError(
      'invalid_request',
      `_meta: expected the ${EVENT_ID_META_KEY} of a notification of the last ${REPLAY_DAYS} days, and not "${lastEventId.slice(0, 80)}". Leave it out, and read the resources once more after the acknowledgement.`,
    );
  });
}

/** The SDK refuses streams above its own limit in the same way. */
function refusal({ id }: ListenRequest, { code, message }: ServiceError): Response {
  const isInvalid = code === 'invalid_request';
  const protocolCode = isInvalid ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return failedRequest(id, protocolCode, `${code}: ${message}`);
}

function onceAborted(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener('abort', act, { once: true });
}
