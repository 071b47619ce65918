/** Starts the processes to measure: an install of this tree, and the peers to compare it with. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { processCpuMs } from './cpu-times.ts';

/** The key every install of the bench starts with. */
export const API_KEY = `crl_live_${'bench'.repeat(8)}`;

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Longest time a start may take. */
const START_TIMEOUT_MS = 60_000;

/** The running processes: they are killed when the bench stops early. */
const running = new Set<ChildProcess>();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Processes that were asked to stop. Any other exit invalidates a row. */
const stopping = new WeakSet<ChildProcess>();

export interface BenchProcess extends AsyncDisposable {
  /** Origin it listens on. */
  readonly origin: string;
  /** From the launch to the first answer of its readiness path. */
  readonly startMs: number;
  /** Resident memory now, in MB. */
  memoryMb(): Promise<number>;
  /** Processor time since the launch, in milliseconds. */
  cpuMs(): Promise<number>;
}

interface Launch {
  /** File to run, from the root of the tree. */
  readonly file: string;
  readonly readyPath: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Starts an install on PostgreSQL. `settings` are environment variables in addition to those of every install of the
 * bench.
 */
export function startOnPostgres(
  databaseUrl: string,
  dataDir: string,
  role: 'all' | 'web' | 'worker',
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchProcess> {
  return startInstall({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ROLE: role, ...settings });
}

/**
 * Prepares an install in a process that ends. The code of a first start, with all migrations, leaves the process that runs
 * it slower than one that starts later, and an install in use has seldom just migrated.
 */
export async function prepareOnPostgres<Prepared>(
  databaseUrl: string,
  dataDir: string,
  prepare: (origin: string) => Promise<Prepared>,
): Promise<Prepared> {
  await using first = await startOnPostgres(databaseUrl, dataDir, 'web');
  return await prepare(first.origin);
}

/** Starts an install on the embedded database. */
export function startOnPglite(dataDir: string): Promise<BenchProcess> {
  return startInstall({ DATA_DIR: dataDir });
}

function startInstall(environment: Readonly<Record<string, string>>): Promise<BenchProcess> {
  const settings = { BOOTSTRAP_LIVE_KEY: API_KEY, RATE_LIMIT_PER_MINUTE: '999999999', LOG_LEVEL: 'warn' };
  return start({ file: 'server/main.js', readyPath: '/readyz', environment: { ...settings, ...environment } });
}

/** Starts a peer for comparison, a file of bench/. */
export function startPeer(file: string, environment: Readonly<Record<string, string>>): Promise<BenchProcess> {
  return start({ file: `bench/${file}`, readyPath: '/', environment });
}

/** With `--profile`, each process writes a CPU profile there when it ends. */
function profileArguments(): string[] {
  const folder = process.env['BENCH_PROFILES'];
  return folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}

async function start({ file, readyPath, environment }: Launch): Promise<BenchProcess> {
  const port = await freePort();
  const launched = performance.now();
  const child = spawn(process.execPath, [...profileArguments(), file], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      PORT: String(port),
      ...environment,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  running.add(child);
  child.once('exit', (code, signal) => {
    running.delete(child);
    if (!stopping.has(child)) process.stderr.write(`${file} ended unexpectedly (${signal ?? `exit code ${code}`})\n`);
  });
  const origin = `http://127.0.0.1:${port}`;
  try {
    await untilReady(child, `${origin}${readyPath}`);
  } catch (error) {
    stopping.add(child);
    child.kill('SIGKILL');
    throw new Error(`${file} did not start`, { cause: error });
  }
  const startMs = performance.now() - launched;
  const cpuMs = () => processCpuMs(child.pid ?? 0);
  return { origin, startMs, memoryMb: () => residentMb(child), cpuMs, [Symbol.asyncDispose]: () => stop(child) };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`);
    const answer = await fetch(url).catch(() => null);
    if (answer !== null && (await read(answer))) return;
    await wait(10);
  }
  throw new Error(`it was not ready within ${START_TIMEOUT_MS} ms`);
}

/** Reads an answer to its end, so that its connection can be reused. */
async function read(answer: Response): Promise<boolean> {
  await answer.text().catch(() => '');
  return answer.ok;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  stopping.add(child);
  child.kill('SIGTERM');
  await ended;
}

async function residentMb(child: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** A port that nothing listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
