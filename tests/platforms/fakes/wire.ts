/** Shared by the fakes: a loopback server, fully read requests, and faults for the next create call. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * Faults of one create call: rate limited, failed, cut off or never answered, each before or after the post is
 * stored.
 */
export type Fault =
  | 'rate_limited'
  | 'fails_before'
  | 'fails_after'
  | 'drops_before'
  | 'drops_after'
  | 'holds_before'
  | 'holds_after'
  | 'web_page';

/** A request as the fakes receive it. */
export interface WireCall {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** Parsed body; undefined when it is not JSON. */
  readonly json: unknown;
  /** Parsed body; undefined when it is not multipart/form-data. */
  readonly form: FormData | undefined;
  /** The raw body. */
  readonly bytes: Buffer;
}

export interface WireAnswer {
  readonly status: number;
  readonly json?: unknown;
  readonly text?: string;
  readonly bytes?: Buffer;
  readonly headers?: Record<string, string>;
}

/** No response: the connection is cut. */
export const DROPPED = Symbol('dropped');

/** No response: the connection stays open until the caller or the fake ends. */
const HELD = Symbol('held');

export type NoAnswer = typeof DROPPED | typeof HELD;

export interface Wire {
  /** Origin on loopback, with its port. */
  readonly url: string;
  close(): Promise<void>;
}

/** A call has arrived and nothing is stored; it is decided and stored, but not answered; it is answered. */
export type WireMoment = 'arrived' | 'decided' | 'answered';

/**
 * Observes each call at each moment, and may delay it. 'lost' cuts the connection: at the arrival of the call, nothing is
 * stored; when it is decided, nothing is answered. The status is known once the call is decided; undefined when it gets no
 * answer.
 */
export type WireTap = (moment: WireMoment, call: WireCall, status?: number) => Promise<'lost' | undefined>;

export interface WireOptions {
  readonly now: () => Date;
  /** Port on loopback; any free one when absent. */
  readonly port?: number | undefined;
  readonly tap?: WireTap | undefined;
}

/** Serves `answer` over real HTTP; `Date` headers use the time of `now`. */
export async function startWire(
  { now, port = 0, tap }: WireOptions,
  answer: (call: WireCall) => WireAnswer | NoAnswer | Promise<WireAnswer | NoAnswer>,
): Promise<Wire> {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readCall(request);
    const isLost = (await tap?.('arrived', call)) === 'lost';
    const decided = isLost ? DROPPED : await answer(call);
    const status = typeof decided === 'symbol' ? undefined : decided.status;
    const isAnswerLost = (await tap?.('decided', call, status)) === 'lost';
    write(response, now(), isAnswerLost ? DROPPED : decided);
    await tap?.('answered', call);
  };
  const server = createServer((request, response) => void respond(request, response));
  // The process may be suspended for longer than the keep-alive timeout.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Applies `fault` to the call that `make` stores. */
export function withFault(fault: Fault | undefined, make: () => WireAnswer): WireAnswer | NoAnswer {
  if (fault === 'fails_after' || fault === 'drops_after' || fault === 'holds_after') make();
  switch (fault) {
    case undefined:
      return make();
    case 'rate_limited':
      return { status: 429, json: { error: 'RateLimitExceeded' }, headers: { 'retry-after': '30' } };
    case 'fails_before':
    case 'fails_after':
      return { status: 500, json: { error: 'InternalServerError', message: 'Internal Server Error' } };
    case 'web_page':
      return { status: 403, text: '<!DOCTYPE html><title>Checking your browser</title>' };
    case 'drops_before':
    case 'drops_after':
      return DROPPED;
    case 'holds_before':
    case 'holds_after':
      return HELD;
  }
}

/** The token of an `authorization: Bearer` header. */
export function bearer(call: WireCall): string | undefined {
  return /^Bearer (.+)$/.exec(call.headers.authorization ?? '')?.[1];
}

async function readCall(request: IncomingMessage): Promise<WireCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const url = new URL(request.url ?? '/', 'http://fake');
  const bytes = Buffer.concat(chunks);
  const type = request.headers['content-type'] ?? '';
  const isForm = type.startsWith('multipart/form-data');
  return {
    method: request.method ?? 'GET',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    json: type.startsWith('application/json') ? JSON.parse(bytes.toString()) : undefined,
    form: isForm ? await new Response(bytes, { headers: { 'content-type': type } }).formData() : undefined,
    bytes,
  };
}

function write(response: ServerResponse, now: Date, answer: WireAnswer | NoAnswer): void {
  if (answer === HELD) return;
  if (answer === DROPPED) {
    response.destroy();
    return;
  }
  const type = answer.json === undefined ? 'text/html; charset=utf-8' : 'application/json';
  response.writeHead(answer.status, { 'content-type': type, date: now.toUTCString(), ...answer.headers });
  response.end(answer.json === undefined ? (answer.bytes ?? answer.text ?? '') : JSON.stringify(answer.json));
}
