/** Sends one HTTP POST and finishes as soon as the status line has arrived. */
import { type Dispatcher, errors } from 'undici';
import type { ReceiverConnection, ReceiverConnections } from './receiver-connections.ts';

interface Post {
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly connections: ReceiverConnections;
  readonly timeoutMs: number;
}

export type PostResult =
  | { readonly status: number }
  | { readonly timedOut: true }
  /** The connection had been kept open, and the receiver closed it without an answer. */
  | { readonly stale: true }
  /** What arrived is not HTTP. It is not repeated, because the parser's error carries it. */
  | { readonly invalid: true }
  | { readonly error: Error; readonly connected: boolean };

/** An answer's body up to this many bytes is read and dropped, so that its connection can be reused. */
const DISCARDED_BYTES_MAX = 16 * 1024;

/** How long that may take, together with the rest of the headers. */
const DISCARD_TIMEOUT_MS = 500;

/**
 * The status line that decides the outcome (docs/contract/webhooks.md#success); an interim answer (1xx) does not count.
 */
const STATUS_LINE = /^HTTP\/1\.[01] ([2-5]\d\d)[^\r\n]*\r?\n/;

/** A server may send it without being asked (RFC 9110, 15.2); the client takes it for a fault. */
const CONTINUE = /^HTTP\/1\.1 100[^\r\n]*\r\n(?:[^\r\n]+\r\n)*\r\n/;

/** No valid status line is this long, and no 100 (Continue) has so many headers. */
const STATUS_LINE_MAX = 256;

/** Never rejects. */
export function postOnce({ address, headers, body, connections, timeoutMs }: Post): Promise<PostResult> {
  return new Promise((resolve) => {
    const connection = connections.take(address.origin);
    const request = { path: address.pathname + address.search, method: 'POST', headers, body };
    connection.client.dispatch(request, new Attempt(connection, timeoutMs, resolve));
  });
}

/** One request, from its wait for the connection to the end of its answer. */
class Attempt implements Dispatcher.DispatchHandler {
  readonly #connection: ReceiverConnection;
  readonly #resolve: (result: PostResult) => void;
  /** Of the attempt until its result, of the rest of the answer after it. */
  #timer: NodeJS.Timeout;
  #hasResult = false;
  #isWritten = false;
  #hasReceived = false;
  #head = '';
  #discardedBytes = 0;

  constructor(connection: ReceiverConnection, timeoutMs: number, resolve: (result: PostResult) => void) {
    this.#connection = connection;
    this.#resolve = resolve;
    this.#timer = setTimeout(() => {
      this.#finish({ timedOut: true });
      connection.destroy();
    }, timeoutMs);
  }

  /** The connection is open, and the request is about to be written. */
  onRequestStart(): void {
    this.#isWritten = true;
    this.#connection.onBytes = (bytes) => this.#receive(bytes);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    if (status < 200) return;
    this.#answered(status);
    if (Number(headers['content-length'] ?? 0) > DISCARDED_BYTES_MAX) this.#connection.destroy();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#discardedBytes += chunk.length;
    if (this.#discardedBytes > DISCARDED_BYTES_MAX) this.#connection.destroy();
  }

  onResponseEnd(): void {
    clearTimeout(this.#timer);
    this.#connection.release();
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    this.#finish(this.#failure(error));
    clearTimeout(this.#timer);
    this.#connection.destroy();
  }

  #failure(error: Error): PostResult {
    if (this.#connection.hasAnswered && !this.#hasReceived) return { stale: true };
    if (error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError)
      return { invalid: true };
    return { error, connected: this.#isWritten };
  }

  #receive(bytes: Buffer): Buffer | null {
    if (this.#hasResult) return bytes;
    this.#hasReceived = true;
    const text = bytes.toString('latin1', 0, STATUS_LINE_MAX);
    const [interim] = (this.#head === '' && CONTINUE.exec(text)) || [];
    if (interim !== undefined) return interim.length < bytes.length ? bytes.subarray(interim.length) : null;
    if (this.#head.length < STATUS_LINE_MAX) this.#head += text;
    const [, status] = STATUS_LINE.exec(this.#head) ?? [];
    if (status !== undefined) this.#answered(Number(status));
    return bytes;
  }

  /** The rest of the answer is dropped; when it is long or slow, with its connection. */
  #answered(status: number): void {
    if (this.#hasResult) return;
    this.#finish({ status });
    this.#timer = setTimeout(() => this.#connection.destroy(), DISCARD_TIMEOUT_MS);
  }

  #finish(result: PostResult): void {
    if (this.#hasResult) return;
    this.#hasResult = true;
    clearTimeout(this.#timer);
    this.#resolve(result);
  }
}
