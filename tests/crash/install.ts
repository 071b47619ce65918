/**
 * Installs of the real server as separate processes, which can be killed at any instant, and the data that outlives them.
 * Independent of the test runner: a crash test uses it through `server-process.ts`, the proof directly.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { openPglite } from '../../entities/orm.ts';
import { query } from '../harness/query.ts';
import { freePort } from '../harness/free-port.ts';
import { databaseUrl, onServer, TEST_DATABASE_URL } from '../harness/database.ts';
import { COMPILED } from './built-server.ts';
import { waitUntil } from './wait-until.ts';

export const REPOSITORY = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** The engine that the tests run on. */
export const ENGINE = TEST_DATABASE_URL === undefined ? 'pglite' : 'postgres';

export const LIVE_KEY = `crl_live_${'L'.repeat(40)}`;

/** Longest start on a busy machine. */
const START_TIMEOUT_MS = 120_000;

type Environment = Readonly<Record<string, string>>;

/** What outlives a process: DATA_DIR, a separate database when TEST_DATABASE_URL is set, and a port. */
export interface Install {
  readonly dataDir: string;
  /** Port of the processes that set no other. */
  readonly port: number;
  /** Address of the database; undefined for the embedded one. */
  readonly databaseUrl: string | undefined;
  /** Starts a process and waits until it is ready; that of another version if `program` is given. */
  start(env?: Environment, program?: readonly string[]): Promise<ServerProcess>;
  /** Starts a process without waiting. */
  launch(env?: Environment, program?: readonly string[]): ServerProcess;
  /** Runs SQL. The embedded database is accessible only while no process holds it. */
  sql<Row>(sql: string, parameters?: readonly unknown[]): Promise<Row[]>;
}

export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON; the text when it is not JSON. */
  // eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
  readonly body: any;
}

export interface RestCall {
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as x-api-key; the live key when omitted. */
  readonly key?: string;
  readonly headers?: Record<string, string>;
}

/** How a process ended. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** Milliseconds from the call until the process was gone. */
  readonly tookMs: number;
}

export interface ServerProcess {
  readonly url: string;
  readonly child: ChildProcess;
  /** Milliseconds from the start of the process until it was ready; 0 when no caller waited for that. */
  readonly startMs: number;
  /** Its whole output so far. */
  stdout(): string;
  stderr(): string;
  /** The lines of its log so far. */
  log(): Record<string, unknown>[];
  /** Calls REST: `server.rest('GET /posts?limit=1')`. */
  rest(call: `${string} /${string}`, options?: RestCall): Promise<RestAnswer>;
  /** Sends GET to a path outside REST. */
  get(path: `/${string}`, headers?: Record<string, string>): Promise<RestAnswer>;
  kill9(): Promise<Ended>;
  /** Stops it with SIGTERM. */
  stop(): Promise<Ended>;
  /** Waits until it exits without a signal from the test. */
  ended(): Promise<Ended>;
}

/** What an install begins with. */
export interface InstallOptions {
  /** An empty folder for this install alone. */
  readonly dataDir: string;
  readonly settings?: Environment;
  /** A migrated database to copy: a folder of the embedded one, a name of one on PostgreSQL. Empty when absent. */
  readonly template?: string | undefined;
}

/** An install whose end kills its processes and drops its database; the folder is left. */
export type DisposableInstall = Install & AsyncDisposable;

export async function createInstall({ dataDir, settings, template }: InstallOptions): Promise<DisposableInstall> {
  const database = TEST_DATABASE_URL === undefined ? undefined : await createDatabase(template);
  if (database === undefined && template !== undefined) await cp(template, join(dataDir, 'db'), { recursive: true });
  const port = await freePort();
  const processes: ServerProcess[] = [];

  const launch = (env: Environment = {}, program?: readonly string[]): ServerProcess => {
    const own = {
      PORT: String(port),
      DATA_DIR: dataDir,
      BOOTSTRAP_LIVE_KEY: LIVE_KEY,
      RATE_LIMIT_PER_MINUTE: '1000000',
      OUTBOUND_ALLOW: '127.0.0.0/8,::1/128',
      ...(database !== undefined && { DATABASE_URL: database.url }),
    };
    const server = launchProcess({ ...own, ...settings, ...env }, program);
    processes.push(server);
    return server;
  };

  return {
    dataDir,
    port,
    databaseUrl: database?.url,
    launch,
    start: async (env, program) => {
      const startedAt = performance.now();
      const server = launch(env, program);
      await waitUntil('the server is ready', () => isReady(server), START_TIMEOUT_MS);
      return { ...server, startMs: Math.round(performance.now() - startedAt) };
    },
    sql: (sql, parameters) =>
      database === undefined
        ? onPglite(join(dataDir, 'db'), sql, parameters)
        : onPostgres(database.url, sql, parameters),
    [Symbol.asyncDispose]: async () => {
      for (const server of processes) await server.kill9();
      await database?.drop();
    },
  };
}

/** Runs the server's program with these settings and no other variables of ours. Empty values count as unset. */
export function launchProcess(
  env: Environment,
  program: readonly string[] = [process.execPath, 'server/main.js'],
): ServerProcess {
  const { PATH = '', HOME = '' } = process.env;
  const [command = '', ...parameters] = program;
  const child = spawn(command, parameters, {
    cwd: REPOSITORY,
    env: { PATH, HOME, ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  // The close event comes after exit, when all of the output has been read.
  const gone = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;

  const ended = async (): Promise<Ended> => {
    const since = performance.now();
    const [code, signal] = await gone;
    return { code, signal, tookMs: Math.round(performance.now() - since) };
  };
  const kill = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return ended();
  };

  const url = `http://127.0.0.1:${env['PORT']}`;
  return {
    url,
    child,
    startMs: 0,
    stdout: () => stdout,
    stderr: () => stderr,
    log: () =>
      stdout
        .split('\n')
        // The last line may not have arrived yet.
        .slice(0, -1)
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    ...callsTo(url),
    kill9: () => kill('SIGKILL'),
    stop: () => kill('SIGTERM'),
    ended,
  };
}

/** Calls a server, in any process. */
export function callsTo(url: string): Pick<ServerProcess, 'rest' | 'get'> {
  return {
    rest: (call, options) => {
      const [method = '', path = ''] = call.split(' ', 2);
      return ask(`${url}/api/v2${path}`, method, options);
    },
    get: (path, headers = {}) => ask(`${url}${path}`, 'GET', { headers }),
  };
}

/** @throws Error when it has ended */
export async function isReady(server: ServerProcess): Promise<boolean> {
  if (server.child.exitCode !== null || server.child.signalCode !== null)
    throw new Error(`the server ended: ${server.stderr()}`);
  return server.get('/readyz').then(
    (answer) => answer.status === 200,
    () => false,
  );
}

async function ask(url: string, method: string, { key = LIVE_KEY, body, headers }: RestCall = {}): Promise<RestAnswer> {
  const response = await fetch(url, {
    method,
    headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: parse(text) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

let made = 0;

async function createDatabase(template?: string): Promise<{ url: string; drop(): Promise<void> }> {
  made += 1;
  const name = `carillon_crash_${process.pid}_${made}`;
  await onServer(`drop database if exists ${name} with (force)`);
  await onServer(`create database ${name}${template === undefined ? '' : ` template ${template}`}`);
  return { url: databaseUrl(name), drop: () => onServer(`drop database if exists ${name} with (force)`) };
}

async function onPostgres<Row>(url: string, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  // Dropping the database ends its connections; a query that is running fails.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql, [...parameters])).rows as Row[];
  } finally {
    await client.end();
  }
}

async function onPglite<Row>(folder: string, sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
  const database = await openPglite(folder);
  try {
    return await query<Row>(database.em(), sql, parameters);
  } finally {
    await database.close();
  }
}
