/** A pool of connections to the server in use. A connection that fails is tried on each of the other servers. */
import { Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import packageJson from '../package.json' with { type: 'json' };
import { isDatabaseAway } from './database-away.ts';
import type { DatabaseHosts } from './database-hosts.ts';
import { type HostClient, HostUnavailable } from './host-client.ts';
import { PreparingClient, type PreparingClientConfig } from './preparing-client.ts';

/** Tries of a connection for each server: other connections turn to the next server meanwhile. */
const TRIES_PER_HOST = 2;

/** How the doctor sees which versions use the database. */
const APPLICATION = `carillon ${packageJson.version}`;

type ClientClass = NonNullable<PoolConfig['Client']>;

type Connected = (error: Error | undefined, client: PoolClient | undefined, done: (release?: unknown) => void) => void;

export class HostPool extends Pool {
  readonly #hosts: DatabaseHosts;

  constructor(
    hosts: DatabaseHosts,
    config: Pick<PoolConfig, 'max' | 'types'> & Pick<PreparingClientConfig, 'onDueChange'>,
  ) {
    // The pool passes its settings to each client.
    super({
      ...config,
      application_name: APPLICATION,
      Client: PreparingClient as unknown as ClientClass,
      hosts,
    } as PoolConfig);
    this.#hosts = hosts;
    // The pool has discarded such a connection; the next query opens another one.
    this.on('error', () => undefined);
  }

  /** Runs one statement on a connection that it holds for that long. */
  async run(text: string, values: readonly unknown[]): Promise<QueryResult> {
    const client = await this.#connect();
    let isLost = false;
    try {
      return await client.query(text, [...values]);
    } catch (error) {
      // The server says that it closes the connection before the driver notices the end.
      isLost = isDatabaseAway(error);
      throw error;
    } finally {
      client.release(isLost);
    }
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    const connected = this.#connect().then(releasedWhenLost);
    if (callback === undefined) return connected;
    connected.then(
      (client) => callback(undefined, client, (error) => client.release(error as Error | undefined)),
      (error: Error) => callback(error, undefined, () => undefined),
    );
  }

  async #connect(): Promise<PoolClient> {
    const count = this.#hosts.address.urls.length;
    const failures = new Map<string, string>();
    for (let tries = 1; ; tries += 1) {
      try {
        return await super.connect();
      } catch (error) {
        if (!(error instanceof HostUnavailable) || count === 1) throw error;
        failures.set(error.url, error.message);
        if (failures.size < count && tries < count * TRIES_PER_HOST) continue;
        throw new HostUnavailable(error.url, [...failures.values()].join('; '), error);
      }
    }
  }
}

/**
 * Gives the place of a connection that is lost during use back to the pool. The query builder never releases one on which a
 * begin or a rollback fails, so every such loss would leave the pool one connection smaller until none is left.
 */
function releasedWhenLost(client: PoolClient): PoolClient {
  const release = client.release.bind(client);
  let isReleased = false;
  const releaseOnce = (error?: Error | boolean) => {
    if (isReleased) return;
    isReleased = true;
    client.removeListener('end', onEnd);
    release(error);
  };
  const onEnd = () => releaseOnce(true);
  client.release = releaseOnce;
  client.once('end', onEnd);
  // The event may have come between the pool's choice of this connection and now.
  if ((client as unknown as HostClient).hasEnded) onEnd();
  return client;
}
