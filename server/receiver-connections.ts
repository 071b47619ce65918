/** Connections to receivers, kept open for reuse. The guard opens each one and checks its address. */
import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import { InProgress } from '../services/in-progress.ts';

/**
 * How long an idle connection is kept: shorter than servers usually keep theirs. There are never more than the attempts that
 * were in flight together within this time.
 */
const IDLE_MS = 4_000;

/** Attempts have their own time-out, which covers all of it. */
const OPTIONS: Client.Options = {
  keepAliveTimeout: IDLE_MS,
  keepAliveMaxTimeout: IDLE_MS,
  headersTimeout: 0,
  bodyTimeout: 0,
  allowH2: false,
};

/** Gets all bytes that arrive, before the client does, and returns those that the client is to get. */
type OnBytes = (bytes: Buffer) => Buffer | null;

/** The connections to one origin, idle and in use. */
interface Pool {
  readonly open: InProgress<ReceiverConnection>;
  readonly idle: ReceiverConnection[];
  /** Called when the last connection is gone. */
  readonly end: () => void;
}

export interface ReceiverConnections {
  /** An idle connection, or one that opens with its first request. */
  take(origin: string): ReceiverConnection;
  /** Closes all connections. */
  close(): void;
}

export function createConnections(connector: buildConnector.connector): ReceiverConnections {
  const pools = new Map<string, Pool>();

  function poolOf(origin: string): Pool {
    const existing = pools.get(origin);
    if (existing !== undefined) return existing;
    const pool: Pool = { open: new InProgress(), idle: [], end: () => void pools.delete(origin) };
    pools.set(origin, pool);
    return pool;
  }

  return {
    take: (origin) => {
      const pool = poolOf(origin);
      return pool.idle.pop() ?? new ReceiverConnection(origin, pool, connector);
    },
    close: () => {
      const connections = Array.from(pools.values(), ({ open }) => Array.from(open)).flat();
      for (const connection of connections) connection.destroy();
    },
  };
}

/** One connection, for one request at a time. It reconnects when the receiver closes it before a request is written. */
export class ReceiverConnection {
  readonly client: Dispatcher;
  onBytes: OnBytes | null = null;
  readonly #pool: Pool;
  readonly #leave: () => void;
  #hasAnswered = false;

  constructor(origin: string, pool: Pool, connector: buildConnector.connector) {
    const connect: buildConnector.connector = (options, connected) => {
      this.#hasAnswered = false;
      connector(options, (...[error, socket]) => {
        if (error !== null) return connected(error, null);
        this.#observe(socket);
        connected(null, socket);
      });
    };
    this.client = new Client(origin, { ...OPTIONS, connect });
    this.client.on('disconnect', () => {
      if (pool.idle.includes(this)) this.destroy();
    });
    this.#pool = pool;
    this.#leave = pool.open.add(this);
  }

  /** Whether it was kept open after an earlier answer. */
  get hasAnswered(): boolean {
    return this.#hasAnswered;
  }

  /** Keeps it for the next request, after the end of an answer. */
  release(): void {
    this.onBytes = null;
    this.#hasAnswered = true;
    this.#pool.idle.push(this);
  }

  /** Closes it, with what is in progress on it. */
  destroy(): void {
    const { idle, open, end } = this.#pool;
    const index = idle.indexOf(this);
    if (index !== -1) idle.splice(index, 1);
    this.#leave();
    if (open.size === 0) end();
    void this.client.destroy();
  }

  /** The client takes what arrives with `read()`, and reports an answer only when its last header has arrived. */
  #observe(socket: Socket): void {
    const read = socket.read.bind(socket);
    socket.read = (size?: number): Buffer | null => {
      const bytes: Buffer | null = read(size);
      return bytes === null || this.onBytes === null ? bytes : this.onBytes(bytes);
    };
  }
}
