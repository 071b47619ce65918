/** Sends one HTTP POST and finishes as soon as the status line has arrived. */
import { type Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';

interface Post {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
  readonly timeoutMs: number;
}

export type PostResult =
  | { readonly status: number }
  | { readonly timedOut: true }
  /** The connection had been kept open, and the receiver closed it without an answer. */
  | { readonly stale: true }
  | { readonly error: Error; readonly connected: boolean };

/** An answer's body up to this many bytes is read and dropped, so that its connection can be reused. */
const DISCARDED_BYTES_MAX = 16 * 1024;

/** How long that may take. */
const DISCARD_TIMEOUT_MS = 500;

/**
 * The status line that decides the outcome (docs/contract/webhooks.md#success); an interim answer (1xx) does not count.
 */
const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)[^\r\n]*\r?\n/;

/** No valid status line is this long. */
const STATUS_LINE_MAX = 256;

/** Never rejects. */
export function postOnce({ address, headers, body, agent, timeoutMs }: Post): Promise<PostResult> {
  const bytes = Buffer.from(body);
  const request = (address.protocol === 'https:' ? httpsRequest : httpRequest)(address, {
    method: 'POST',
    agent,
    headers: { ...headers, 'content-length': String(bytes.length) },
  });
  const received = observeResponse(request);
  return new Promise((resolve) => {
    const finish = (result: PostResult) => {
      clearTimeout(timer);
      const status = received.status();
      resolve(status === null || 'status' in result ? result : { status });
    };
    const timer = setTimeout(() => {
      finish({ timedOut: true });
      request.destroy();
    }, timeoutMs);
    request.on('response', (response) => {
      finish({ status: response.statusCode ?? 0 });
      discardRest(response);
    });
    request.on('error', (error) => {
      const stale = request.reusedSocket && !received.anything();
      finish(stale ? { stale } : { error, connected: received.connected() });
    });
    // Some answers end without an error event, such as one that asks for another protocol.
    request.on('close', () =>
      finish({ error: new Error('closed without an answer'), connected: received.connected() }),
    );
    request.end(bytes);
  });
}

interface ReceivedResponse {
  connected(): boolean;
  anything(): boolean;
  /** The final status, as soon as its line is complete, however slowly the headers after it arrive. */
  status(): number | null;
}

function observeResponse(request: ClientRequest): ReceivedResponse {
  let connected = false;
  let head = '';
  request.on('socket', (socket: Socket) => {
    connected = true;
    const listen = (chunk: Buffer) => {
      if (head.length < STATUS_LINE_MAX) head += chunk.toString('latin1', 0, STATUS_LINE_MAX);
    };
    socket.on('data', listen);
    request.once('close', () => socket.off('data', listen));
  });
  return {
    connected: () => connected,
    anything: () => head !== '',
    status: () => {
      const [, status] = STATUS_LINE.exec(head) ?? [];
      return status === undefined ? null : Number(status);
    },
  };
}

/** Drops the rest of an answer; closes the connection when the rest is long or slow. */
function discardRest(response: IncomingMessage): void {
  const length = Number(response.headers['content-length'] ?? 0);
  if (length > DISCARDED_BYTES_MAX) return void response.destroy();
  let passed = 0;
  const timer = setTimeout(() => response.destroy(), DISCARD_TIMEOUT_MS);
  response.on('data', (chunk: Buffer) => {
    passed += chunk.length;
    if (passed > DISCARDED_BYTES_MAX) response.destroy();
  });
  response.on('error', () => undefined);
  response.on('close', () => clearTimeout(timer));
}
