/** Starts the real servers for the adapter tests, on free ports of loopback, and stops them again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { freePort } from '../harness/free-port.ts';
import { ensurePeers, PEERS_CACHE } from './ensure-peers.ts';

export interface RealServer {
  /** Origin. */
  readonly url: string;
  /** Milliseconds from the start of its process until it answered. */
  readonly startMs: number;
  stop(): Promise<void>;
}

export interface RealPds extends RealServer {
  /** Origin of the directory of identities beside it. */
  readonly plcUrl: string;
}

/** A Bluesky PDS with a directory of identities beside it. The script runs in the folder of its packages. */
export async function startPds(script: string, plcPort?: number): Promise<RealPds> {
  await ensurePeers();
  const copy = join(PEERS_CACHE, basename(script));
  await copyFile(script, copy);
  const ports = [await freePort(), plcPort ?? (await freePort())];
  const startedAt = performance.now();
  const server = spawn(process.execPath, [copy, ...ports.map(String)], {
    cwd: PEERS_CACHE,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ready = await Promise.race([firstLine(server), once(server, 'exit').then(() => undefined)]);
  if (ready === undefined) throw new Error('the PDS ended before it was ready');
  const { pds, plc } = JSON.parse(ready) as { pds: string; plc: string };
  const startMs = Math.round(performance.now() - startedAt);
  return { url: pds, plcUrl: plc, startMs, stop: () => stopGroup(server) };
}

export interface RealSnac extends RealServer {
  /** Passwords by user. */
  readonly passwords: Readonly<Record<string, string>>;
}

/**
 * snac, a server with Mastodon's API, under a separate user. Its script leaves it running and stores its process id.
 */
export async function startSnac(script: string): Promise<RealSnac> {
  const folder = join(PEERS_CACHE, 'snac');
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const startedAt = performance.now();
  const env = { ...process.env, SUITE: 'sid' };
  const { stdout } = await promisify(execFile)('bash', [script, folder, String(port)], { env });
  const passwords = Object.fromEntries(
    [...stdout.matchAll(/^(alice|bob) (\S+)$/gm)].map(([, user, word]) => [user, word]),
  );
  const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
  return {
    url: `http://127.0.0.1:${port}`,
    startMs: Math.round(performance.now() - startedAt),
    passwords,
    stop: () => stopProcess(pid),
  };
}

async function firstLine(server: ChildProcess): Promise<string> {
  if (server.stdout === null) throw new Error('the output of the server is not piped');
  const [line] = (await once(createInterface(server.stdout), 'line')) as [string];
  return line;
}

/** Stops a server with all of its child processes, by force when the signal has no effect. */
async function stopGroup(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null) return;
  const ended = once(server, 'exit');
  process.kill(-server.pid, 'SIGTERM');
  const force = setTimeout(() => process.kill(-(server.pid ?? 0), 'SIGKILL'), 10_000);
  await ended;
  clearTimeout(force);
}

/** Stops a process that is not our child, and waits until it is gone. */
async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  for (let tries = 0; tries < 100 && isAlive(pid); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
  if (isAlive(pid)) process.kill(pid, 'SIGKILL');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
