/**
 * Tells the processes on one PostgreSQL database when rows with due times may have changed. Workers wait for it instead of
 * asking again and again. A notification is a separate statement: within the transactions that it tells about, it would
 * make the commits of all of them wait for one lock (docs/decisions/0093-notify-workers-of-due-work.md).
 */
import type { Notification } from 'pg';
import { createRowChanges, type ReportedChanges } from './row-changes.ts';

const CHANNEL = 'carillon_due';

const NOTIFY = `select pg_notify('${CHANNEL}', $1)`;

/** Milliseconds between two notifications of a process: changes in between are told together. */
const NOTIFY_EVERY_MS = 100;

/** Milliseconds after which a lost connection is opened again. */
const RECONNECT_AFTER_MS = 1_000;

/** The connection that receives notifications. */
export interface ListeningClient {
  /** Whether the server, and not a pooler, is at the other end; known once connected. */
  readonly isDirect: boolean;
  /** The number of the session; null until connected. */
  readonly sessionId: number | null;
  connect(): Promise<unknown>;
  query(sql: string): Promise<unknown>;
  on(event: 'notification', listener: (message: Notification) => void): unknown;
  once(event: 'end', listener: () => void): unknown;
  end(): Promise<void>;
}

/** Waits in real time; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export interface SharedChangesOptions {
  readonly sleep: Sleep;
  /** Runs a statement on any connection. */
  query(sql: string, values: readonly unknown[]): Promise<unknown>;
  createClient(): ListeningClient;
}

/** A report goes to all processes. */
export interface SharedChanges extends ReportedChanges {
  /** Sends what is not sent yet, and stops listening. */
  close(): Promise<void>;
}

export function shareChanges({ sleep, query, createClient }: SharedChangesOptions): SharedChanges {
  const own = createRowChanges();
  const stopping = new AbortController();
  let isComplete = false;
  /** Tells the notifications of this process from those of others. */
  let origin = '';
  let isUnsent = false;
  let sending: Promise<void> | null = null;
  let listening: Promise<void> | null = null;

  const pause = (ms: number) => sleep(ms, stopping.signal).catch(() => undefined);

  const send = async () => {
    while (isUnsent) {
      isUnsent = false;
      const notify = () => query(NOTIFY, [origin]);
      // The first one may have met a connection that was lost. Without any, workers look at the next regular time.
      await notify()
        .catch(notify)
        .catch(() => undefined);
      await pause(NOTIFY_EVERY_MS);
    }
  };

  const listenOnce = async (client: ListeningClient) => {
    const lost = new Promise<void>((resolve) => {
      client.once('end', resolve);
      stopping.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await client.connect();
    if (!client.isDirect || stopping.signal.aborted) return;
    origin = String(client.sessionId);
    client.on('notification', ({ payload }) => {
      if (payload !== origin) own.report();
    });
    await client.query(`listen ${CHANNEL}`);
    isComplete = true;
    // What changed before is not told.
    own.report();
    await lost;
  };

  const keepListening = async () => {
    while (!stopping.signal.aborted) {
      const client = createClient();
      const failed = await listenOnce(client).then(
        () => false,
        () => true,
      );
      // Never settles when the connection was lost before it was complete.
      void client.end().catch(() => undefined);
      isComplete = false;
      own.report();
      // A pooler passes no notifications on.
      if (!failed && !client.isDirect) return;
      await pause(RECONNECT_AFTER_MS);
    }
  };

  return {
    get isComplete() {
      return isComplete;
    },
    listen: (listener) => {
      listening ??= keepListening();
      return own.listen(listener);
    },
    report: () => {
      own.report();
      isUnsent = true;
      sending ??= send().finally(() => (sending = null));
    },
    close: async () => {
      stopping.abort();
      await Promise.all([sending, listening]);
    },
  };
}
