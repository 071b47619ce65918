/** Databases of one row of the bench: created, and their workers notified of rows that are stored without the API. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';

/** The server to measure on. The bench connects to this database and does not change it. */
const SERVER_URL = process.env['BENCH_DATABASE_URL'] ?? 'postgres://root@127.0.0.1:5432/test';

export interface BenchDatabase extends AsyncDisposable {
  readonly url: string;
  /** The bench's connection, for preparing and for checking. */
  readonly client: Client;
}

let made = 0;

/** Creates an empty database on the server; disposing drops it. */
export async function createDatabase(): Promise<BenchDatabase> {
  made += 1;
  const name = `carillon_bench_${process.pid}_${made}`;
  await onServer(`create database ${name}`);
  const url = new URL(SERVER_URL);
  url.pathname = `/${name}`;
  const client = new Client({ connectionString: url.href });
  // A server that stops while the database is open reports it here and not to the last query.
  client.on('error', () => undefined);
  await client.connect();
  return {
    url: url.href,
    client,
    [Symbol.asyncDispose]: async () => {
      await client.end();
      await onServer(`drop database if exists ${name} with (force)`);
    },
  };
}

/**
 * Notifies the workers that work may be due, as the service does after each write. Without it, they find the work in their
 * next regular round, seconds late.
 */
export async function notifyWorkers({ client }: BenchDatabase): Promise<void> {
  await client.query(`select pg_notify('carillon_due', 'bench')`);
}

async function onServer(sql: string): Promise<void> {
  const client = new Client({ connectionString: SERVER_URL });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

export interface BenchFolder extends AsyncDisposable {
  readonly path: string;
}

/** Creates an empty folder; disposing removes it. */
export async function createFolder(): Promise<BenchFolder> {
  const path = await mkdtemp(join(tmpdir(), 'carillon-bench-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
