/** The listening socket. When it closes, it answers every request that has arrived, and waits for no other. */
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../services/config.ts';
import { InProgress } from '../services/in-progress.ts';
import { ConfigError } from './config.ts';
import { type ConnectionContext, type ConnectionLimits, limitConnections } from './connection-limits.ts';
import { refuseMalformedRequest } from './malformed-requests.ts';

export interface HttpServer {
  readonly port: number;
  /** Accepts no new connections. Resolves when every request that had arrived completely is answered. */
  close(): Promise<void>;
}

/** A request that is being answered. */
interface Exchange {
  /** In the order of arrival. */
  readonly number: number;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** How long a request that is still arriving may take to become complete once the server closes. */
const ARRIVAL_MS = 1_000;

/** Milliseconds between two checks for connections that can be closed. */
const SWEEP_EVERY_MS = 50;

/**
 * Milliseconds that a connection may be idle: longer than the 60 seconds of nginx and of the load balancers of AWS. A proxy whose
 * connection closes while it sends a POST cannot know whether the request arrived, and answers 502.
 */
const IDLE_MS = 75_000;

/** Longest time between two checks for requests that take too long. */
const TIMEOUT_CHECK_MS = 1_000;

/** The part of the configuration that the listening socket needs. */
type ServerSettings = Pick<Config, 'port' | 'host'> & ConnectionLimits & { readonly requestTimeoutMs: number };

/**
 * Serves an application. A request whose headers and body have not arrived completely in time is answered with 408, and
 * its connection is closed. The time that an answer takes after that does not count.
 *
 * @throws ConfigError when PORT or HOST cannot be listened on
 */
export async function serve(
  app: RequestListener,
  settings: ServerSettings,
  connections: ConnectionContext,
): Promise<HttpServer> {
  const { port, host, requestTimeoutMs } = settings;
  const answering = new InProgress<Exchange>();
  let arrived = 0;
  let closing = false;
  const times = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestTimeoutMs),
  };
  const server = createServer(times, (request, response) => {
    response.once('close', answering.add({ number: (arrived += 1), request, response }));
    if (closing) response.setHeader('connection', 'close');
    app(request, response);
  });
  limitConnections(server, settings, connections);
  server.on('clientError', (error, socket) => {
    const isAnswering = [...answering].some(
      ({ request, response }) => request.socket === socket && (request.complete || response.headersSent),
    );
    refuseMalformedRequest(error, socket, isAnswering);
  });
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      closing = true;
      endConnections(answering);
      return close(server, () => [...answering].some(({ request }) => request.complete));
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', (error: NodeJS.ErrnoException) => reject(listenFailure(error, port, host)));
  server.listen(port, host, resolve);
  return promise;
}

function listenFailure(error: NodeJS.ErrnoException, port: number, host: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(`PORT: ${port} on ${host} is already in use`);
    case 'EACCES':
      return new ConfigError(`PORT: this user may not listen on ${port}`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new ConfigError(`HOST: ${host} is not an address of this machine`);
    default:
      return error;
  }
}

/** Tells clients that the connection ends with their answer; for pipelined requests, with the last answer. */
function endConnections(answering: Iterable<Exchange>): void {
  const bySocket = Map.groupBy(answering, ({ request }) => request.socket);
  for (const exchanges of bySocket.values()) {
    const { response } = exchanges.reduce((last, one) => (one.number > last.number ? one : last));
    if (!response.headersSent) response.setHeader('connection', 'close');
  }
}

/** @param isAnswering whether a request that arrived completely still waits for its answer */
async function close(server: Server, isAnswering: () => boolean): Promise<void> {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  let hadTime = false;
  const arrival = setTimeout(() => (hadTime = true), ARRIVAL_MS);
  const sweep = setInterval(() => {
    server.closeIdleConnections();
    // The remaining connections have sent nothing or part of a request, and no work has begun for them.
    if (hadTime && !isAnswering()) server.closeAllConnections();
  }, SWEEP_EVERY_MS);
  await closed;
  clearTimeout(arrival);
  clearInterval(sweep);
}
