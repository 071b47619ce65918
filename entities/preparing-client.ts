/**
 * A database client that prepares frequent statements: PostgreSQL then parses and plans them once per connection, not
 * each time. Only on direct connections: a pooler such as PgBouncer gives each transaction another connection, on which
 * the statements are not prepared.
 */
import { createHash } from 'node:crypto';
import { CompiledQuery, type DatabaseConnection } from 'kysely';
import type { Socket } from 'node:net';
import { Client, type QueryResult } from 'pg';

/** Asks for the client's port as the server sees it. Behind a pooler it is the port of the pooler's own connection. */
const CLIENT_PORT = 'select inet_client_port() as port';

/** Pass it to the pool for each new connection: it finds out whether statements may be prepared there. */
export async function detectPooler(connection: unknown): Promise<void> {
  await (connection as DatabaseConnection).executeQuery(CompiledQuery.raw(CLIENT_PORT));
}

/** A field of the driver's client that its types do not name. */
interface WithConnection {
  readonly connection: { readonly stream: Socket };
}

/** Uses of a statement before it is prepared: a statement that runs once at startup is not worth it. */
const PREPARE_AFTER = 5;

/** Most prepared statements, so that endlessly varying texts cannot fill the server's memory. */
const PREPARED_MAX = 200;

/** Use count of each text; a name once it is prepared. */
const seen = new Map<string, number | string>();

function nameOf(text: string): string | undefined {
  const known = seen.get(text) ?? 0;
  if (typeof known === 'string') return known;
  if (seen.size >= PREPARED_MAX && known === 0) return undefined;
  const name =
    known + 1 >= PREPARE_AFTER ? createHash('sha256').update(text).digest('base64url').slice(0, 20) : undefined;
  seen.set(text, name ?? known + 1);
  return name;
}

/** Passed to a pool as its `Client`. Only statements with parameters are prepared. */
export class PreparingClient extends Client {
  /** Whether the server, and not a pooler, is at the other end; false until {@link detectPooler} has asked. */
  #isDirect = false;

  // The driver's signature has a dozen overloads; calls without a text and values are passed on unchanged.
  override query(...given: unknown[]): never {
    const [text, values, ...rest] = given;
    if (text === CLIENT_PORT) return this.#detect() as never;
    const hasValues = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    const name = this.#isDirect && hasValues ? nameOf(text) : undefined;
    const passed = name === undefined ? given : [{ name, text, values }, ...rest];
    return super.query(...(passed as Parameters<Client['query']>)) as never;
  }

  async #detect(): Promise<QueryResult<{ port: number | null }>> {
    const answer = await super.query<{ port: number | null }>(CLIENT_PORT);
    // On a socket in the file system neither side has a port.
    const { localPort = null } = (this as unknown as WithConnection).connection.stream;
    this.#isDirect = answer.rows[0]?.port === localPort;
    return answer;
  }
}
