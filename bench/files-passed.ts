/**
 * Counts the code that a post passes: `npx node bench/files-passed.ts [--list]`. Starts an install in this process, does the
 * same work twice, and lets V8's precise coverage record which product functions the second run calls. Three walks: an
 * immediate post over REST, a scheduled post from the worker's round to its outcome, and the delivery of its event to a
 * webhook. `--list` also prints the files and their functions.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type Profiler, Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Loop } from '../jobs/loop.ts';
import { runRound } from '../jobs/run-round.ts';
import { scheduledPosts } from '../jobs/scheduled-posts.ts';
import { webhookDeliveries } from '../jobs/webhook-deliveries.ts';
import { readConfig } from '../server/config.ts';
import { type Install, startInstall } from '../server/install.ts';
import { call, connectSandboxes, publish } from './api.ts';
import { API_KEY, freePort } from './processes.ts';

const ROOT = new URL('..', import.meta.url).href;

/** How long work that a call started may still run, in milliseconds. */
const REST_MS = 500;

/** How far ahead a scheduled post is created, in milliseconds. */
const AHEAD_MS = 1_500;

/** The called functions of each product file, by its path; the name of an anonymous function is empty. */
type Passed = ReadonlyMap<string, readonly string[]>;

const { values: options } = parseArgs({ options: { list: { type: 'boolean', default: false } } });
const dataDir = await mkdtemp(join(tmpdir(), 'carillon-files-passed-'));
const receiver = createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(204).end());
}).listen(0, '127.0.0.1');
try {
  const port = await freePort();
  const config = readConfig({
    BOOTSTRAP_LIVE_KEY: API_KEY,
    DATA_DIR: dataDir,
    LOG_LEVEL: 'error',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    PORT: String(port),
  });
  // The role web starts no loops, so nothing runs beside the measured work.
  const install = await startInstall({ ...config, role: 'web' }, { announce: () => undefined });
  await walk(install, `http://127.0.0.1:${port}`);
  await install.stop();
} finally {
  receiver.close();
  await rm(dataDir, { recursive: true });
}

async function walk(install: Install, origin: string): Promise<void> {
  const slugs = await connectSandboxes(origin, 1);
  const immediate = () => publish(origin, slugs);
  await rested(immediate);
  report('immediate post', await passedBy(immediate));
  const due = async () => {
    await publish(origin, slugs, new Date(Date.now() + AHEAD_MS));
    await wait(AHEAD_MS);
  };
  const round = (loop: Loop) => runRound(install.context, loop, new AbortController().signal);
  await rested(due);
  await rested(() => round(scheduledPosts));
  await rested(due);
  report('scheduled post', await passedBy(() => round(scheduledPosts)));
  const { port } = receiver.address() as AddressInfo;
  await call(origin, '/webhooks', { url: `http://127.0.0.1:${port}/`, events: ['post.sent'] });
  await rested(immediate);
  await rested(() => round(webhookDeliveries));
  await rested(immediate);
  report('webhook delivery', await passedBy(() => round(webhookDeliveries)));
}

/** Does the work, and waits for what it leaves running. */
async function rested(work: () => Promise<unknown>): Promise<void> {
  await work();
  await wait(REST_MS);
}

async function passedBy(work: () => Promise<unknown>): Promise<Passed> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await rested(work);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const files = result
    .filter(({ url }) => isProduct(url))
    .map((script) => [pathOf(script.url), called(script)] as const);
  return new Map(files.filter(([, functions]) => functions.length > 0).toSorted(([a], [b]) => a.localeCompare(b)));
}

function isProduct(url: string): boolean {
  return url.startsWith(ROOT) && !['bench', 'node_modules'].includes(pathOf(url).split('/')[0] ?? '');
}

function pathOf(url: string): string {
  return url.slice(ROOT.length);
}

function called({ functions }: Profiler.ScriptCoverage): string[] {
  return functions.filter(({ ranges }) => (ranges[0]?.count ?? 0) > 0).map(({ functionName }) => functionName);
}

function report(name: string, passed: Passed): void {
  const functions = [...passed.values()].flat();
  const named = functions.filter((one) => one !== '').length;
  console.log(`${name}: ${passed.size} files, ${named} named functions, ${functions.length} with anonymous ones`);
  if (!options.list) return;
  for (const [file, names] of passed) console.log(`  ${file}: ${names.map((one) => one || '()').join(', ')}`);
}
