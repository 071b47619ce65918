/**
 * A database client that connects to the server in use (database-hosts.ts), leaves one that is gone or became a standby, and
 * knows whether a pooler lies between.
 */
import { Client, type ClientConfig, DatabaseError, type QueryResult } from 'pg';
import type { Socket } from 'node:net';
import { type DatabaseHosts, hostOf } from './database-hosts.ts';

/** A server that takes no connection within this time counts as gone. */
const CONNECT_TIMEOUT_MS = 10_000;

/** A connection without traffic is checked after this time; a server that answers no check for 10 s counts as gone. */
const KEEP_ALIVE_AFTER_MS = 10_000;

/** The client's port and the number of the session, as the server sees them, and whether the session may write. */
const DESCRIBE_SESSION = `
  select inet_client_port() as port, pg_backend_pid() as number, pg_is_in_recovery() as "isStandby",
    current_setting('transaction_read_only')::boolean as "isReadOnly"`;

/**
 * Statements are short. PostgreSQL compiles those whose cost it overestimates, or starts processes for them, which takes up to a
 * thousand times as long as to run them. A pooler would pass the settings on to others.
 */
const SETTINGS = 'set jit = off; set max_parallel_workers_per_gather = 0';

/**
 * Frees one large block of the server's memory. Until then, glibc gives memory back to the system whenever 128 KB are free, and
 * asks for it again in the next step of a query: 3.3 ms for one that takes 1.4 ms. After it, the limit is twice the size of
 * the block (mallopt(3), M_MMAP_THRESHOLD).
 */
const KEEP_MEMORY = `select length(repeat(' ', ${2 ** 20}))`;

interface Session {
  readonly port: number | null;
  readonly number: number;
  readonly isStandby: boolean;
  readonly isReadOnly: boolean;
}

/** SQLSTATE of a write on a standby. */
const READ_ONLY = '25006';

/** SQLSTATE of a server that starts, stops or recovers. */
const CANNOT_CONNECT_NOW = '57P03';

/** No connection to this server: it does not answer, or it is not what DATABASE_URL asks for. */
export class HostUnavailable extends Error {
  override name = 'HostUnavailable';
  readonly url: string;

  constructor(url: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.url = url;
  }
}

/** Fields of the driver's client that its types do not name. */
interface WithConnection {
  readonly processID: number | null;
  readonly connection: {
    readonly stream: Socket;
    on(event: 'errorMessage', listener: (message: { readonly code?: string }) => void): void;
  };
}

/** A query of the driver that handles its own results. */
interface WithSubmit {
  readonly submit?: unknown;
}

type Answered = (error: Error | null | undefined, result: QueryResult) => void;

/** What a pool passes to each client. */
export interface HostClientConfig extends ClientConfig {
  readonly hosts: DatabaseHosts;
}

export class HostClient extends Client {
  readonly #hosts: DatabaseHosts;
  readonly #url: string;
  #isDirect = false;
  #hasEnded = false;

  constructor({ hosts, ...config }: HostClientConfig) {
    const url = hosts.current();
    super({
      ...config,
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    });
    this.#hosts = hosts;
    this.#url = url;
    // The query in progress fails anyway. Without a listener, a connection that is lost between two queries of a
    // transaction would end the process.
    this.on('error', () => undefined);
    this.once('end', () => (this.#hasEnded = true));
    // The server became a standby: it still answers reads, and fails each write.
    this.#driver.connection.on('errorMessage', ({ code }) => {
      if (code !== READ_ONLY) return;
      hosts.leave(url);
      // After the driver has passed the error on.
      setImmediate(() => void this.end());
    });
  }

  /** Whether the server, and not a pooler, is at the other end. */
  get isDirect(): boolean {
    return this.#isDirect;
  }

  /** Whether the connection was closed, by either side. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The number of the session; null until connected. */
  get sessionId(): number | null {
    return this.#driver.processID;
  }

  get #driver(): WithConnection {
    return this as unknown as WithConnection;
  }

  /**
   * The driver keeps the queries that it answers with a promise until the next full collection of garbage, with all that
   * waits for them. Those that it answers with a callback are free at once.
   */
  override query(...given: unknown[]): never {
    const query = super.query as unknown as (...given: unknown[]) => unknown;
    // With a callback, or as an object that handles its own results.
    const hasReceiver =
      typeof given.at(-1) === 'function' || typeof (given[0] as WithSubmit | null)?.submit === 'function';
    if (hasReceiver) return query.apply(this, given) as never;
    return this.#answerOf((done) => query.call(this, ...given, done)) as never;
  }

  async #answerOf(run: (done: Answered) => void): Promise<QueryResult> {
    try {
      return await new Promise((resolve, reject) => {
        run((error, result) => (error ? reject(error) : resolve(result)));
      });
    } catch (error) {
      // As the driver does: its own stack leads to the socket, this one to the caller.
      if (error instanceof Error) Error.captureStackTrace(error);
      throw error;
    }
  }

  override connect(): Promise<this>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<this> | void {
    const connected = this.#connect();
    if (callback === undefined) return connected.then(() => this);
    // The driver passes no error to the callback when it has connected.
    connected.then(() => callback(undefined as unknown as Error), callback);
  }

  async #connect(): Promise<void> {
    try {
      await super.connect();
      const answer: QueryResult<Session> = await super.query<Session>(DESCRIBE_SESSION);
      const session = answer.rows[0];
      // On a socket in the file system neither side has a port. A pooler numbers its sessions itself.
      const { localPort = null } = this.#driver.connection.stream;
      this.#isDirect = session?.port === localPort && session.number === this.sessionId;
      this.#refuseStandby(session);
      if (this.#isDirect) await super.query(`${SETTINGS}; ${KEEP_MEMORY}`);
    } catch (error) {
      void this.end().catch(() => undefined);
      if (!isHostAtFault(error)) throw error;
      this.#hosts.leave(this.#url);
      // With one server there is nothing to add to the driver's error.
      if (this.#hosts.address.urls.length === 1 || error instanceof HostUnavailable) throw error;
      throw new HostUnavailable(this.#url, error instanceof Error ? error.message : String(error), error);
    }
  }

  #refuseStandby(session: Session | undefined): void {
    const { target } = this.#hosts.address;
    const isRefused = target !== 'any' && (session?.isStandby || (target === 'read-write' && session?.isReadOnly));
    if (isRefused) throw new HostUnavailable(this.#url, `${hostOf(this.#url)} accepts no writes`);
  }
}

/** An error that the server answers, such as a wrong password, would be the same everywhere. */
function isHostAtFault(error: unknown): boolean {
  return !(error instanceof DatabaseError) || error.code === CANNOT_CONNECT_NOW;
}
