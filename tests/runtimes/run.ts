/**
 * `npm run test:runtimes`: runs the packed client in every runtime that this machine can get, before a real server. Runtimes come
 * from npm into a temporary folder, because they are large and nothing else needs them. Run by hand, not in CI.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from 'playwright-core';
import { plain } from '../harness/images.ts';
import { freePort } from '../harness/free-port.ts';
import { nodeOfMachine } from '../client/node-of-machine.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');
const API_KEY = `crl_live_${'R'.repeat(40)}`;
const CHECK_MS = 60_000;

const folder = mkdtempSync(path.join(tmpdir(), 'carillon-runtimes-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const server = spawn(process.execPath, ['server/main.js'], {
  cwd: ROOT,
  env: {
    PATH: process.env['PATH'],
    PORT: String(port),
    DATA_DIR: path.join(folder, 'data'),
    BOOTSTRAP_LIVE_KEY: API_KEY,
    LOG_LEVEL: 'error',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});

// Also when this script fails.
process.once('exit', () => server.kill());

/** Runs the check in a runtime. @returns what worked, or why the runtime was not tried */
type Runtime = () => Promise<readonly string[] | string>;

const runtimes: Readonly<Record<string, Runtime>> = {
  'the pinned Node': async () => inScript(process.execPath),
  'the Node of the machine': async () => {
    const found = nodeOfMachine();
    return found === undefined ? 'none of 20.3 or later is on the PATH' : inScript(found.path);
  },
  Deno: async () =>
    inInstalled('deno', '.bin/deno', ['run', '--allow-net', '--allow-read', '--allow-env', '--no-config']),
  Bun: async () => inInstalled('bun', '.bin/bun', ['run']),
  workerd: inWorkerd,
  Chromium: inChromium,
};

let hasFailed = false;
try {
  prepare();
  await until(async () => (await fetch(`${url}/readyz`)).ok);
  const image = (await plain(8, 8).png().toBuffer()).toString('base64');
  writeFileSync(
    path.join(folder, 'install.js'),
    `export default ${JSON.stringify({ url, apiKey: API_KEY, image })};\n`,
  );
  for (const [name, runtime] of Object.entries(runtimes)) {
    try {
      const result = await runtime();
      console.log(typeof result === 'string' ? `${name}: skipped, ${result}` : `${name}: ${result.join('; ')}`);
    } catch (error) {
      hasFailed = true;
      console.log(`${name}: FAILED, ${(error as Error).stack ?? String(error)}`);
    }
  }
} finally {
  server.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
process.exit(hasFailed ? 1 : 0);

/** Packs the client, and unpacks it beside the check. */
function prepare(): void {
  execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: path.join(ROOT, 'client') });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  execFileSync('tar', ['-xf', tarball], { cwd: folder });
  cpSync(path.join(folder, 'package', 'dist', 'index.js'), path.join(folder, 'client.js'));
  cpSync(path.join(import.meta.dirname, 'check.js'), path.join(folder, 'check.js'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  writeFileSync(
    path.join(folder, 'script.js'),
    `import * as client from './client.js';
import install from './install.js';
import { check } from './check.js';
console.log(JSON.stringify(await check(client, install)));
`,
  );
}

function inScript(command: string, args: readonly string[] = []): readonly string[] {
  const { stdout, stderr, status } = spawnSync(command, [...args, 'script.js'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: CHECK_MS,
    env: { PATH: process.env['PATH'], HOME: folder },
  });
  if (status !== 0) throw new Error(stderr || stdout || `no end within ${CHECK_MS / 1000} s`);
  return JSON.parse(stdout) as string[];
}

/** Installs a package. @returns its program */
function installed(name: string, program: string): string | undefined {
  spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--silent', name], {
    cwd: folder,
    stdio: 'ignore',
  });
  const [found] = globSync(path.join(folder, 'node_modules', program));
  return found;
}

function inInstalled(name: string, program: string, args: readonly string[]): readonly string[] | string {
  const found = installed(name, program);
  if (found === undefined) return `the npm package ${name} could not be installed here`;
  return [versionOf(found), ...inScript(found, args)];
}

function versionOf(program: string): string {
  return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0] ?? '';
}

async function inWorkerd(): Promise<readonly string[] | string> {
  const found = installed('workerd', '@cloudflare/workerd-*/bin/workerd');
  if (found === undefined) return 'the npm package workerd could not be installed here';
  const listening = await freePort();
  writeFileSync(
    path.join(folder, 'worker.js'),
    `import * as client from './client.js';
import install from './install.js';
import { check } from './check.js';
export default {
  async fetch() {
    try {
      return Response.json(await check(client, install));
    } catch (error) {
      return new Response(error.stack, { status: 500 });
    }
  },
};
`,
  );
  const modules = ['worker', 'client', 'install', 'check'].map(
    (name) => `(name = "${name}.js", esModule = embed "${name}.js")`,
  );
  writeFileSync(
    path.join(folder, 'workerd.capnp'),
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "network", network = (allow = ["public", "private"]))],
  sockets = [(name = "http", address = "127.0.0.1:${listening}", http = (), service = "main")]
);
const main :Workerd.Worker = (
  modules = [${modules.join(', ')}], compatibilityDate = "2025-09-01", globalOutbound = "network"
);
`,
  );
  const worker = spawn(found, ['serve', 'workerd.capnp'], { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
  try {
    let answer: Response | undefined;
    await until(async () => {
      answer = await fetch(`http://127.0.0.1:${listening}/`);
      return true;
    });
    const text = (await answer?.text()) ?? '';
    if (answer?.status !== 200) throw new Error(text);
    return [versionOf(found), ...(JSON.parse(text) as string[])];
  } finally {
    worker.kill();
  }
}

/** A page of another origin, so that the headers for other origins are needed too. */
async function inChromium(): Promise<readonly string[] | string> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) return `there is no browser at ${executablePath}`;
  const files = createServer(({ url: asked = '' }, response) => {
    const name = path.basename(asked);
    if (name === 'favicon.ico') return void response.writeHead(404).end();
    response.setHeader('content-type', name === '' ? 'text/html' : 'text/javascript');
    response.end(name === '' ? '<!doctype html><title>Check</title>' : readFileSync(path.join(folder, name)));
  }).listen(0, 'localhost');
  await once(files, 'listening');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    // Served and not only answered by the test: Chromium asks a person before a page of unknown origin reaches this machine.
    await page.goto(`http://localhost:${(files.address() as { port: number }).port}/`);
    const done = await page.evaluate(`(async () => {
      const [client, install, { check }] = await Promise.all(['client', 'install', 'check'].map((name) => import('/' + name + '.js')));
      return check(client, install.default);
    })()`);
    return [browser.version(), ...(done as string[])];
  } finally {
    await browser.close();
    files.close();
  }
}

/** Waits until something works that does not yet. */
async function until(works: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 600; turn += 1) {
    if (await works().catch(() => false)) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('nothing answers within a minute');
}
