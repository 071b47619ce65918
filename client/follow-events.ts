/** Follows the stream of events, over any number of connections. */
import { type Connection, type ConnectionOptions, connectionOf, errorOfAnswer, answered } from './connection.ts';
import type { CarillonClient } from './create-client.ts';
import { CarillonError, hasErrorCode, NoAnswerError } from './errors.ts';
import { type EventMessage, eventMessages, nextBytes } from './event-messages.ts';
import { delayBefore, TRIES } from './retry-policy.ts';
import type { StreamedEvent } from './webhook-event.ts';

export interface FollowOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal;
  /** Continues after this event or position of at most 29 days ago. Default: begins with the next event. */
  readonly lastEventId?: string;
  /** Called with the position after each event is processed, and while none comes. A stored one can be `lastEventId` later. */
  readonly onPosition?: (lastEventId: string) => void;
  /** Called when a connection is open, and when an open one is lost, before the next is tried. */
  readonly onConnection?: (state: 'open' | 'lost') => void;
  /** Most tries of the first connection. Default 4. Later ones are tried without end. */
  readonly tries?: number;
}

/** Milliseconds without an answer, or a byte of it, after which a connection counts as lost. The service sends some every 15 seconds. */
const SILENCE_MS = 45_000;

/** Milliseconds before a reconnection, until the service names another time. */
const RECONNECT_MS = 2_000;

/** Longest wait before a reconnection, in milliseconds. */
const LONGEST_RECONNECT_MS = 60_000;

/**
 * Gives each event as it happens, in order and once. When a connection breaks it reconnects and continues after the last event.
 * It ends when the signal aborts or the loop is left.
 *
 * @param target a client, or the options of one
 * @throws CarillonError when the service refuses: an unknown or revoked key, a missing scope, a `lastEventId` it does not know
 * @throws NoAnswerError when the first connection fails several times; later ones are tried without end
 */
export async function* followEvents(
  target: CarillonClient | ConnectionOptions,
  { signal, lastEventId, onPosition = () => {}, onConnection = () => {}, tries = TRIES }: FollowOptions = {},
): AsyncGenerator<StreamedEvent, void, undefined> {
  const connection = connectionOf(target);
  const state = { last: lastEventId, reconnectMs: RECONNECT_MS, failures: 0, wasOpen: false, tries };
  while (!isAborted(signal)) {
    let isOpen = false;
    const leaving = new AbortController();
    const over = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal]);
    try {
      const headers = {
        ...(await connection.credential()),
        ...(state.last === undefined ? {} : { 'last-event-id': state.last }),
      };
      const messages = await open(connection, headers, over);
      state.wasOpen = true;
      isOpen = true;
      onConnection('open');
      for await (const message of messages) {
        state.failures = 0;
        if (message.retry !== undefined) state.reconnectMs = Number(message.retry);
        const event = eventOf(message);
        if (event !== undefined) yield event;
        if (message.id === undefined) continue;
        state.last = message.id;
        onPosition(message.id);
      }
    } catch (error) {
      if (isAborted(signal)) return;
      state.failures += 1;
      if (!mayReconnect(error, state)) throw error;
      const afterMs = error instanceof CarillonError ? error.retryAfterMs : undefined;
      state.reconnectMs = Math.max(state.reconnectMs, afterMs ?? 0);
    } finally {
      leaving.abort();
    }
    if (isAborted(signal)) return;
    if (isOpen) onConnection('lost');
    await pause(connection, state, signal);
  }
}

// A function, because TypeScript takes what it once read of the property for settled.
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

async function open(
  connection: Connection,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<AsyncGenerator<EventMessage>> {
  const url = new URL('/api/v2/events', connection.url).href;
  const request = () => withinSilence(connection, signal, connection.fetch(url, { headers, signal }));
  const response = await answered(url, signal, request);
  if (!response.ok || response.body === null) throw await errorOfAnswer(connection, response);
  return eventMessages(response.body, (reader) =>
    answered(url, signal, () => withinSilence(connection, signal, nextBytes(reader))),
  );
}

/** A connection that was lost without a word gives no error, only silence. */
async function withinSilence<T>({ clock }: Connection, signal: AbortSignal, read: Promise<T>): Promise<T> {
  const arrived = new AbortController();
  const silence = clock.sleep(SILENCE_MS, AbortSignal.any([signal, arrived.signal])).then(() => {
    throw new Error(`nothing was received for ${SILENCE_MS / 1000} s`);
  });
  try {
    return await Promise.race([read, silence]);
  } finally {
    silence.catch(() => undefined);
    arrived.abort();
  }
}

function eventOf({ data, mode }: EventMessage): StreamedEvent | undefined {
  return data === undefined ? undefined : ({ ...(JSON.parse(data) as object), mode } as StreamedEvent);
}

interface Attempts {
  readonly wasOpen: boolean;
  readonly failures: number;
  readonly tries: number;
}

function mayReconnect(error: unknown, { wasOpen, failures, tries }: Attempts): boolean {
  const isFirst = !wasOpen && failures >= tries;
  if (error instanceof NoAnswerError) return !isFirst;
  if (!(error instanceof CarillonError)) return false;
  // The service may still count the connection that was lost.
  if (wasOpen && hasErrorCode(error, 'limit_exceeded')) return true;
  return !isFirst && (error.status === 429 || error.status >= 500);
}

async function pause(
  connection: Connection,
  state: { reconnectMs: number; failures: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const { reconnectMs, failures } = state;
  const options = { firstDelayMs: RECONNECT_MS, maxDelayMs: LONGEST_RECONNECT_MS };
  const wait = delayBefore(connection, options, { triesMade: Math.max(1, failures), afterMs: reconnectMs });
  state.reconnectMs = RECONNECT_MS;
  await connection.clock.sleep(wait, signal).catch(() => undefined);
}
