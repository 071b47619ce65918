/** A PostgreSQL primary and its synchronous standby, made with the binaries of Debian's package. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { freePort } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const run = promisify(execFile);

const DEBIAN = '/usr/lib/postgresql';

/** Folder of the newest installed binaries; undefined when there are none. */
export const POSTGRES_BINARIES = (existsSync(DEBIAN) ? readdirSync(DEBIAN) : [])
  .toSorted((one, other) => Number(other) - Number(one))
  .map((version) => join(DEBIAN, version, 'bin'))
  .find((folder) => ['initdb', 'pg_basebackup', 'postgres'].every((name) => existsSync(join(folder, name))));

/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const ACCOUNT = isRoot ? { uid: 65_534, gid: 65_534 } : {};

export const PAIR_USER = 'carillon';

/** A killed process loses nothing that the system has taken, so there is no need to wait for the disk. */
const SETTINGS = ['fsync=off', 'shared_buffers=32MB', 'listen_addresses=127.0.0.1', 'unix_socket_directories='];

interface PostgresServer {
  readonly port: number;
  readonly process: ChildProcess;
}

export interface PostgresPair {
  readonly primaryPort: number;
  readonly standbyPort: number;
  /** Runs one statement on a server. */
  sql<Row>(port: number, sql: string, database?: string): Promise<Row[]>;
  /** Kills every process of the primary at once. */
  killPrimary(): Promise<void>;
  /** Resolves when the standby accepts writes. */
  promoteStandby(): Promise<void>;
}

export async function startPostgresPair(): Promise<PostgresPair> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-pair-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  await chmod(folder, 0o700);
  if (isRoot) await chown(folder, ACCOUNT.uid ?? 0, ACCOUNT.gid ?? 0);
  const primaryData = join(folder, 'primary');
  const standbyData = join(folder, 'standby');

  await tool('initdb', '-D', primaryData, '-U', PAIR_USER, '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C');
  const primary = await startServer(primaryData);
  const source = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', PAIR_USER];
  await tool('pg_basebackup', ...source, '-D', standbyData, '-R', '-X', 'stream', '-c', 'fast', '--no-sync');
  const standby = await startServer(standbyData);
  // Stored on the primary only: the standby waits for no standby once it is promoted.
  await sql(primary.port, `alter system set synchronous_standby_names = '*'`);
  await sql(primary.port, 'select pg_reload_conf()');
  await waitUntil('the standby is synchronous', async () => {
    const [row] = await sql<{ state: string }>(primary.port, 'select sync_state as state from pg_stat_replication');
    return row?.state === 'sync';
  });
  return {
    primaryPort: primary.port,
    standbyPort: standby.port,
    sql,
    killPrimary: () => killAll(primary),
    promoteStandby: async () => {
      await sql(standby.port, 'select pg_promote()');
    },
  };
}

async function tool(name: string, ...parameters: string[]): Promise<void> {
  await run(join(POSTGRES_BINARIES ?? '', name), parameters, { ...ACCOUNT, cwd: '/' });
}

async function startServer(data: string): Promise<PostgresServer> {
  const port = await freePort();
  const settings = [...SETTINGS, `port=${port}`].flatMap((setting) => ['-c', setting]);
  const child = spawn(join(POSTGRES_BINARIES ?? '', 'postgres'), ['-D', data, ...settings], {
    ...ACCOUNT,
    cwd: '/',
    stdio: 'ignore',
  });
  const server = { port, process: child };
  onTestFinished(() => killAll(server));
  await waitUntil('PostgreSQL answers', () =>
    sql(port, 'select 1').then(
      () => true,
      () => child.exitCode !== null && Promise.reject(new Error('PostgreSQL ended')),
    ),
  );
  return server;
}

/** Kills the server and its processes, which would finish their statements otherwise. */
async function killAll({ process: { pid, exitCode, signalCode }, process: child }: PostgresServer): Promise<void> {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  const gone = once(child, 'exit');
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  for (const one of [pid, ...children.trim().split(' ').map(Number)]) {
    try {
      if (one > 0) process.kill(one, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
  await gone;
}

async function sql<Row>(port: number, text: string, database = 'postgres'): Promise<Row[]> {
  const client = new Client({ host: '127.0.0.1', port, user: PAIR_USER, database });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
