/** Runs the command line in this process, with its own streams, folder of settings and clock. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Io } from '../../cli/io.ts';
import { receiveRedirect } from '../../cli/receive-redirect.ts';
import { runCommandLine } from '../../cli/run-command-line.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import type { World } from '../harness/world.ts';

export interface Run {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** In addition to the address of the world, its live key and an empty folder of settings. Undefined removes a variable. */
  readonly env?: Record<string, string | undefined>;
  /** What standard input holds; a terminal without it. */
  readonly input?: string;
  /** Whether standard output is a terminal. */
  readonly isTTY?: boolean;
  readonly io?: Partial<Io>;
  /** Called with each piece of standard output. */
  readonly onOutput?: (text: string) => void;
  /** Called with each piece of standard error. */
  readonly onError?: (text: string) => void;
}

/** An image of one pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=',
  'base64',
);

/** A folder that is deleted when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'carillon-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** The clock of the world for streams: the time without a byte, after which one counts as lost, does not pass. */
export function streamClock({ context: { clock } }: World): Io['clock'] {
  return {
    now: () => clock.now(),
    elapsed: () => clock.elapsed(),
    deadline: (ms, parent) => clock.deadline(ms, parent),
    sleep: async (ms, signal) => {
      if (ms >= 45_000) await new Promise<void>((_resolve, reject) => rejectWith(signal, reject));
      else await clock.sleep(ms, signal);
    },
  };
}

function rejectWith(signal: AbortSignal | undefined, reject: (reason: unknown) => void): void {
  if (signal?.aborted === true) reject(signal.reason);
  signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
}

export async function runCli(world: World, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { env = {}, input, isTTY = false, onOutput, onError } = options;
  let [stdout, stderr] = ['', ''];
  const keep = (text: string) => {
    stdout += text;
    onOutput?.(text);
  };
  const keepError = (text: string) => {
    stderr += text;
    onError?.(text);
  };
  const io: Io = {
    env: {
      CARILLON_URL: world.url,
      CARILLON_KEY: world.liveKey,
      XDG_CONFIG_HOME: env['XDG_CONFIG_HOME'] ?? temporaryFolder(),
      ...env,
    },
    fetch: globalThis.fetch,
    clock: world.context.clock,
    random: createSeededRandom(args.join(' '), world.clock),
    stdin: { isTTY: input === undefined, read: () => Promise.resolve(input ?? '') },
    stdout: { isTTY, columns: 80, write: keep, drain: () => Promise.resolve() },
    stderr: { isTTY, columns: 80, write: keepError, drain: () => Promise.resolve() },
    askSecret: () => Promise.resolve(undefined),
    openBrowser: () => undefined,
    receiveRedirect,
    signal: new AbortController().signal,
    ...options.io,
  };
  const exitCode = await runCommandLine(args, io);
  return { exitCode, stdout, stderr };
}
