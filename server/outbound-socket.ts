/** Opens the WebSocket connections of outbound calls, over the same guarded connector as all other requests. */
import type { Socket } from 'node:net';
import { Agent, type buildConnector, WebSocket } from 'undici';
import type { MessageSocket } from '../platforms/io.ts';
import { NotSentError } from '../platforms/http.ts';
import { connectFailureMessage } from './outbound-connect.ts';

interface SocketOptions {
  readonly connect: buildConnector.connector;
  /** Milliseconds until the connection is open. */
  readonly openTimeoutMs: number;
  /** Milliseconds that the other side may be silent. */
  readonly silenceTimeoutMs: number;
  /** Bytes of one message, after decompression. */
  readonly maxMessageBytes: number;
  /** Bytes of all messages of the connection together. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
}

/** @throws NotSentError when the connection was not opened: nothing was sent over it */
export async function openGuardedSocket(url: URL, options: SocketOptions): Promise<MessageSocket> {
  const { connect, openTimeoutMs, silenceTimeoutMs, maxMessageBytes, maxBytes, signal } = options;
  let raw: Socket | null = null;
  let failure: unknown = null;
  const over = new AbortController();
  // An agent for one connection: undici neither says why a WebSocket failed to open, nor closes one whose server
  // ignores the close.
  const agent = new Agent({
    webSocket: { maxPayloadSize: maxMessageBytes },
    connect: (target, callback) => {
      const done: buildConnector.Callback = (...[error, socket]) => {
        failure = error;
        raw = socket;
        if (over.signal.aborted) socket?.destroy();
        if (error === null) callback(null, socket);
        else callback(error, null);
      };
      try {
        connect(target, done);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)), null);
      }
    },
  });
  const socket = new WebSocket(url, { dispatcher: agent });
  const waiting: string[] = [];
  let received = 0;
  let wake: () => void = () => undefined;
  const end = () => {
    over.abort();
    wake();
  };
  /** Ends the connection without waiting for the other side. */
  const abort = () => {
    end();
    raw?.destroy();
    void agent.destroy();
  };
  const close = () => {
    end();
    socket.close();
    // Sends what is not sent yet, the close among it, and does not wait for an answer.
    raw?.destroySoon();
  };
  socket.addEventListener('error', end);
  socket.addEventListener('close', end);
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
    if (typeof data !== 'string') return abort();
    received += Buffer.byteLength(data);
    if (received > maxBytes) return abort();
    waiting.push(data);
    wake();
  });
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();

  /** Resolves with the next event, or ends the connection after `ms`. */
  const change = async (ms: number): Promise<void> => {
    const next = Promise.withResolvers<void>();
    wake = next.resolve;
    const timer = setTimeout(abort, ms);
    await next.promise;
    clearTimeout(timer);
  };

  socket.addEventListener('open', () => wake());
  while (socket.readyState === WebSocket.CONNECTING && !over.signal.aborted) await change(openTimeoutMs);
  if (socket.readyState !== WebSocket.OPEN || over.signal.aborted) {
    abort();
    throw notOpened(url.host, failure);
  }
  return {
    send: (text) => socket.send(text),
    next: async () => {
      while (waiting.length === 0 && !over.signal.aborted) await change(silenceTimeoutMs);
      return waiting.shift() ?? null;
    },
    close,
  };
}

function notOpened(host: string, reason: unknown): NotSentError {
  if (reason instanceof NotSentError) return reason;
  if (reason instanceof Error) return new NotSentError(connectFailureMessage(host, reason), { cause: reason });
  return new NotSentError(`${host} did not open a WebSocket connection.`);
}
