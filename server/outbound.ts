/**
 * The fetch and the WebSocket for all outbound requests of Carillon. It reaches no private network unless allowed, follows no
 * redirect, limits the answer, and sends a request once. It tells failures before the first byte (NotSentError) from
 * all others.
 */
import { lookup as resolve } from 'node:dns/promises';
import { Agent, type BodyInit, type Dispatcher, FormData as UndiciFormData, Request, fetch } from 'undici';
import type { Fetch, FetchInit } from '../platforms/contract.ts';
import type { OpenSocket } from '../platforms/io.ts';
import { NotSentError } from '../platforms/http.ts';
import { boundedBody } from './bounded-body.ts';
import { parseAllowList } from './outbound-addresses.ts';
import { connectFailureMessage, guardedConnector, type Lookup } from './outbound-connect.ts';
import { openGuardedSocket } from './outbound-socket.ts';

/** Limits of outbound requests. All times in milliseconds. */
interface OutboundOptions {
  /** Networks of OUTBOUND_ALLOW, e.g. `10.0.0.0/8`. */
  readonly allow: readonly string[];
  /** Time for lookup, connection and TLS handshake together. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Time from the request's last byte to the end of the answer's headers. Default 30,000. */
  readonly headersTimeoutMs?: number;
  /** Time for the whole body of the answer, however steadily bytes arrive. Default 30,000. */
  readonly bodyTimeoutMs?: number;
  /** Bytes of an answer's body after decompression, or of all messages of a WebSocket. Default 5 MiB. */
  readonly maxResponseBytes?: number;
  /** Time that the other side of a WebSocket may be silent, also before it is open. Default 10,000. */
  readonly silenceTimeoutMs?: number;
  /** Name resolution. Default: that of the system. */
  readonly lookup?: Lookup;
}

/** Schemes of the addresses, the recommended one first. */
const FETCH_SCHEMES: readonly string[] = ['https:', 'http:'];
const SOCKET_SCHEMES: readonly string[] = ['wss:', 'ws:'];

/** Bytes of one message of a WebSocket. */
const MESSAGE_MAX_BYTES = 1024 * 1024;

export interface Outbound {
  readonly fetch: Fetch;
  readonly openSocket: OpenSocket;
  /** Aborts everything in progress. */
  close(): Promise<void>;
}

/**
 * Creates the guarded fetch. Its Response is a standard one without `url`. A body that is not read is dropped after
 * `bodyTimeoutMs`. `close` aborts all requests in progress.
 *
 * @throws Error when an entry of `allow` is neither a network nor an address. The fetch throws NotSentError when no
 *   byte of the request was sent; any other error means that it may have arrived.
 */
export function createOutboundFetch(options: OutboundOptions): Outbound {
  const { headersTimeoutMs = 30_000, bodyTimeoutMs = 30_000, maxResponseBytes = 5 * 1024 * 1024 } = options;
  const { silenceTimeoutMs = 10_000 } = options;
  const connect = guardedConnector({
    allow: parseAllowList(options.allow),
    connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
    lookup: options.lookup ?? ((hostname) => resolve(hostname, { all: true })),
  });
  const agent = new Agent({
    connect,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: 0,
    // One connection per request: a reused one may close just as the next post is sent on it. The outcome of that post
    // would be unknown.
    pipelining: 0,
  });

  async function guardedFetch(url: string | URL, init: FetchInit = {}): Promise<Response> {
    const target = checkedUrl(url);
    const attempt = watchedAttempt(agent, target.host);
    try {
      const response = await fetch(buildRequest(target, init), { dispatcher: attempt.dispatcher });
      const maxBytes = init.maxResponseBytes ?? maxResponseBytes;
      const bound = { host: target.host, maxBytes, timeoutMs: bodyTimeoutMs };
      const body = response.body === null ? null : boundedBody(response.body, bound);
      return new Response(body, { status: response.status, headers: [...response.headers] });
    } catch (error) {
      if (attempt.mayHaveSent() || error instanceof NotSentError) throw error;
      const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
      if (cause instanceof NotSentError) throw cause;
      if (init.signal?.aborted) {
        throw new NotSentError(`The request to ${target.host} was cancelled before it was sent.`, { cause: error });
      }
      throw new NotSentError(connectFailureMessage(target.host, cause), { cause: error });
    }
  }

  const stopping = new AbortController();
  const openSocket: OpenSocket = async (url, { signal } = {}) =>
    openGuardedSocket(checkedUrl(url, SOCKET_SCHEMES), {
      connect,
      openTimeoutMs: (options.connectTimeoutMs ?? 5_000) + silenceTimeoutMs,
      silenceTimeoutMs,
      maxMessageBytes: MESSAGE_MAX_BYTES,
      maxBytes: maxResponseBytes,
      signal: signal === undefined ? stopping.signal : AbortSignal.any([signal, stopping.signal]),
    });

  const close = () => {
    stopping.abort();
    return agent.destroy();
  };
  return { fetch: guardedFetch, openSocket, close };
}

function checkedUrl(url: string | URL, schemes = FETCH_SCHEMES): URL {
  const target = URL.parse(url);
  if (target === null) throw new NotSentError('The address is not a valid URL.');
  if (!schemes.includes(target.protocol)) {
    throw new NotSentError(`${target.protocol} addresses are not fetched; use ${schemes[0]?.slice(0, -1)}.`);
  }
  if (target.username !== '' || target.password !== '') {
    throw new NotSentError(`The address at ${target.host} must not carry a user name or password.`);
  }
  return target;
}

function buildRequest(target: URL, { method = 'GET', headers = {}, body, signal }: FetchInit): Request {
  try {
    return new Request(target, {
      method,
      headers,
      redirect: 'manual',
      ...(body !== undefined && { body: ownBody(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch {
    // Leaves out the cause: it quotes the offending header, which may be a credential.
    throw new NotSentError(`The request to ${target.host} is not valid HTTP (method, headers or body).`);
  }
}

/** Converts the body to undici's types: its FormData differs from the one built into Node. */
function ownBody(body: NonNullable<FetchInit['body']>): BodyInit {
  if (!(body instanceof FormData)) return body;
  const form = new UndiciFormData();
  for (const [name, value] of body) form.append(name, value);
  return form;
}

/** A dispatcher for a single request that records whether any of it may have left. */
function watchedAttempt(agent: Agent, host: string): { dispatcher: Dispatcher; mayHaveSent: () => boolean } {
  let isDispatched = false;
  let mayHaveSent = false;
  const dispatcher = agent.compose((dispatch) => (options, handler) => {
    if (isDispatched) {
      // The Fetch standard sends a request again on 421. A post must never be sent twice automatically.
      throw new Error(`${host} answered HTTP 421.`);
    }
    isDispatched = true;
    const start = handler.onRequestStart?.bind(handler);
    // undici calls this when the connection is established, right before it writes.
    handler.onRequestStart = (controller, context) => {
      start?.(controller, context);
      mayHaveSent ||= !controller.aborted;
    };
    return dispatch(options, handler);
  });
  return { dispatcher, mayHaveSent: () => mayHaveSent };
}
