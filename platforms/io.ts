/** What an adapter call receives: the network, the time, and what the operator configured. */
import type { MailServer } from './mail.ts';
import type { PlatformApps, PlatformEndpoints } from './settings.ts';

/** Values that survive being stored as JSON. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** A fetch for outbound calls: guarded, bounded, and injected, so that tests make no external calls. */
export type Fetch = (url: string | URL, init?: FetchInit) => Promise<Response>;

/** The part of RequestInit that adapters use. Redirects are never followed. */
export interface FetchInit {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array | FormData | URLSearchParams;
  readonly signal?: AbortSignal;
  /** Maximum bytes of the response body; overrides the default of the outbound guard. */
  readonly maxResponseBytes?: number;
}

/** A WebSocket connection, whose messages are texts. */
export interface MessageSocket {
  send(text: string): void;
  /** The next message; null when the connection has ended, or nothing came for ten seconds. */
  next(): Promise<string | null>;
  close(): void;
}

/**
 * Opens a WebSocket connection: guarded and bounded like a fetch.
 *
 * @throws NotSentError when it was not opened
 */
export type OpenSocket = (url: string, init?: { readonly signal?: AbortSignal }) => Promise<MessageSocket>;

/** The context of an adapter call. An adapter has access to nothing else. */
export interface PlatformIo {
  readonly fetch: Fetch;
  readonly openSocket: OpenSocket;
  /** The current instant of the app's clock. */
  readonly now: () => Date;
  /** Resolves after `ms` milliseconds of real time; rejects when `signal` aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
  /** Aborts when the call's time limit is reached (30 s for a send). */
  readonly signal: AbortSignal;
  /** Origins from configuration (docs/contract/running.md#settings), without a trailing slash, by variable name. */
  readonly endpoints: PlatformEndpoints;
  readonly apps: PlatformApps;
  /** Null if the operator has not configured any. */
  readonly mail: MailServer | null;
}
