/**
 * Holds the stream of events open while the page is visible, resumes after the last event when it is lost, and says how
 * the page is connected.
 */
import { type Access, accessOf, type Session } from '../session.ts';
import { readMessages, type StreamMessage } from './event-reader.ts';

/**
 * live: changes arrive as they happen. connecting: the first connection is being made. reconnecting: it was lost.
 * offline: the browser has no network. polling: the service refuses this session a stream, so views ask again.
 */
export type LiveStatus = 'connecting' | 'live' | 'reconnecting' | 'offline' | 'polling';

export interface LiveHandlers {
  onStatus(status: LiveStatus): void;
  onMessage(message: StreamMessage): void;
  /** Called when events may have been missed: everything that is shown must be read again. */
  onGap(): void;
}

/** Waits between attempts to connect. */
const WAITS_MS = [500, 1_000, 2_000, 5_000, 10_000];

/** The service sends a sign of life every 15 seconds. */
const SILENCE_MAX_MS = 40_000;

/** How often a session asks again that has no stream, or one that reports no changes. */
const POLL_MS = 30_000;

/** A request that is not answered counts as lost. */
const ANSWER_MAX_MS = 15_000;

/** @returns ends the connection */
export function connectLive(session: Session, handlers: LiveHandlers): () => void {
  const ended = new AbortController();
  void keepConnected(accessOf(session), handlers, ended.signal);
  return () => ended.abort();
}

async function keepConnected(access: Access, handlers: LiveHandlers, ended: AbortSignal): Promise<void> {
  let position: string | undefined;
  let failures = 0;
  let wasLive = false;
  let asking: ReturnType<typeof setInterval> | undefined;
  const onMessage = (message: StreamMessage) => {
    position = message.id ?? position;
    if (message.data !== '') handlers.onMessage(message);
  };
  const onOpen = () => {
    handlers.onStatus('live');
    failures = 0;
    // A change that has no event, such as a new draft, may have happened meanwhile.
    if (wasLive) handlers.onGap();
    wasLive = true;
    if (!access.hasChanges) asking = setInterval(() => handlers.onGap(), POLL_MS);
  };
  while (!ended.aborted) {
    await untilVisible(ended);
    if (!navigator.onLine) handlers.onStatus('offline');
    const outcome = await readStream(access, position, { onOpen, onMessage }, ended);
    clearInterval(asking);
    if (ended.aborted) return;
    if (outcome === 'hidden') continue;
    if (outcome === 'lost position') position = undefined;
    if (outcome === 'refused') {
      handlers.onStatus('polling');
      await pause(POLL_MS, ended);
      handlers.onGap();
      continue;
    }
    handlers.onStatus(navigator.onLine ? (wasLive || failures > 0 ? 'reconnecting' : 'connecting') : 'offline');
    await pause(WAITS_MS[Math.min(failures, WAITS_MS.length - 1)] ?? 0, ended);
    failures += 1;
  }
}

type Outcome = 'ended' | 'refused' | 'lost position' | 'hidden';

async function readStream(
  access: Access,
  position: string | undefined,
  { onOpen, onMessage }: { onOpen(): void; onMessage(message: StreamMessage): void },
  ended: AbortSignal,
): Promise<Outcome> {
  const stop = new AbortController();
  const stopWhenHidden = () => {
    // Browsers allow few connections to one host, and the service few streams of one person.
    if (document.hidden) stop.abort('hidden');
  };
  const stopWhenOffline = () => stop.abort('offline');
  document.addEventListener('visibilitychange', stopWhenHidden);
  window.addEventListener('offline', stopWhenOffline);
  let silence = setTimeout(() => stop.abort('silent'), ANSWER_MAX_MS);
  try {
    const response = await fetch(access.eventsPath, {
      headers: { ...access.headers, ...(position !== undefined && { 'last-event-id': position }) },
      credentials: access.credentials,
      cache: 'no-store',
      signal: AbortSignal.any([ended, stop.signal]),
    });
    if (response.status === 400 && position !== undefined) return 'lost position';
    if (response.status >= 400 && response.status < 500) return 'refused';
    if (!response.ok || response.body === null) return 'ended';
    onOpen();
    for await (const message of readMessages(response.body)) {
      clearTimeout(silence);
      silence = setTimeout(() => stop.abort('silent'), SILENCE_MAX_MS);
      onMessage(message);
    }
    return 'ended';
  } catch {
    return stop.signal.reason === 'hidden' ? 'hidden' : 'ended';
  } finally {
    clearTimeout(silence);
    document.removeEventListener('visibilitychange', stopWhenHidden);
    window.removeEventListener('offline', stopWhenOffline);
  }
}

function untilVisible(ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (!document.hidden || ended.aborted) return resolve();
    const check = () => {
      if (!document.hidden || ended.aborted) {
        document.removeEventListener('visibilitychange', check);
        resolve();
      }
    };
    document.addEventListener('visibilitychange', check);
    ended.addEventListener('abort', check, { once: true });
  });
}

/** Waits, but not longer than until the network is back. */
function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      window.removeEventListener('online', finish);
      ended.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    window.addEventListener('online', finish);
    ended.addEventListener('abort', finish);
  });
}
