/**
 * The package `carillon`: packed, installed without a network, and run by the plain Node.js of the machine, and without what
 * Node.js 20.12 does not have.
 */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { makePost } from '../harness/posts.ts';
import { startReceiver } from '../harness/receiver.ts';
import { startWorld } from '../harness/world.ts';
import { answerConsent } from './consent.ts';
import { usesOfNewerApis } from './newer-apis.ts';
import { temporaryFolder } from './run-cli.ts';

const run = promisify(execFile);
const cli = path.join(import.meta.dirname, '..', '..', 'cli');
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const world = await startWorld({ port, env: { ...OWNER_ENV, PUBLIC_URL: url } });
const folder = mkdtempSync(path.join(tmpdir(), 'carillon-package-'));
const installed = path.join(folder, 'node_modules', 'carillon');

/** Without the folders that npm adds, in which `node` is the pinned one. */
const env = {
  ...process.env,
  PATH: (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .filter((one) => !one.includes('node_modules'))
    .join(path.delimiter),
  npm_config_cache: path.join(folder, 'cache'),
};

beforeAll(() => {
  execFileSync(process.execPath, [path.join(cli, '..', 'scripts', 'build-cli.ts')], { stdio: 'ignore' });
  writeFileSync(path.join(folder, 'package.json'), '{}');
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, '--json'], {
    cwd: cli,
    env,
    encoding: 'utf8',
  });
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(folder, filename)], {
    cwd: folder,
    env,
    stdio: 'ignore',
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const carillon = (args: string[], more: Record<string, string> = {}) =>
  run(path.join(folder, 'node_modules', '.bin', 'carillon'), args, {
    env: { ...env, XDG_CONFIG_HOME: folder, ...more },
  });

it('prints its version, and has a man page, licenses and no dependencies', async () => {
  const { version, dependencies } = JSON.parse(readFileSync(path.join(installed, 'package.json'), 'utf8')) as {
    version: string;
    dependencies?: object;
  };

  expect((await carillon(['--version'])).stdout).toBe(`${version}\n`);
  expect(dependencies).toBeUndefined();
  expect(readFileSync(path.join(installed, 'dist', 'carillon.1'), 'utf8')).toMatch(/^\.\\" Written by/);
  expect(readFileSync(path.join(installed, 'dist', 'LICENSES.txt'), 'utf8')).toContain('parts of commander');
});

it('posts', async () => {
  const login = { CARILLON_URL: world.url, CARILLON_KEY: world.liveKey };

  const { stdout } = await carillon(['post', 'From the package', '--to', 'sandbox'], login);

  expect(stdout).toMatch(/^sandbox  sent  /);
  expect((await world.rest('GET /posts?q=package')).body.posts).toHaveLength(1);
});

it('ends with the exit code of the failure', async () => {
  await expect(carillon(['posts', 'list'])).rejects.toMatchObject({
    code: 4,
    stderr: expect.stringContaining('You are not signed in.'),
  });
});

/** Starts a command that has a terminal and only the APIs of Node.js 20.12, and ends it with the test. */
function startOnOldest(args: string[], more: Record<string, string>) {
  const modules = [
    path.join(import.meta.dirname, 'hide-newer-apis.ts'),
    'data:text/javascript,process.stdin.isTTY = true',
  ];
  const imports = modules.flatMap((module) => ['--import', module]);
  const program = path.join(installed, 'dist', 'carillon.js');
  const child = spawn(process.execPath, [...imports, program, ...args], { env: { ...env, ...more } });
  onTestFinished(() => void child.kill('SIGKILL'));
  const run = { output: '', exitCode: undefined as number | null | undefined };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (run.output += String(text)));
  child.on('close', (exitCode) => (run.exitCode = exitCode));
  return run;
}

it('uses no API that Node.js 20.12 does not have', () => {
  const program = readFileSync(path.join(installed, 'dist', 'carillon.js'), 'utf8');

  // oauth4webapi asks on an earlier line whether there are these two.
  expect(usesOfNewerApis(program)).toEqual(['Uint8Array.prototype.toBase64', 'Uint8Array.fromBase64']);
});

it('signs in through the browser, and works with the tokens, with the APIs of Node.js 20.12', async () => {
  const login = { XDG_CONFIG_HOME: temporaryFolder() };
  const signingIn = startOnOldest(['login', '--print', '--url', url], login);
  await expect.poll(() => signingIn.output, { timeout: 20_000 }).toMatch(/^Sign in at \S+\n/);
  const [, , , address = ''] = signingIn.output.split(/\s/);

  await answerConsent(await signedInBrowser(world), address);

  await expect.poll(() => signingIn.exitCode, { timeout: 20_000 }).toBe(0);
  const whoami = startOnOldest(['whoami'], login);
  await expect.poll(() => whoami.exitCode, { timeout: 20_000 }).toBe(0);
  expect(whoami.output).toContain('through the browser (account)');
});

it('relays events with the APIs of Node.js 20.12', async () => {
  const receiver = await startReceiver();
  const login = { CARILLON_URL: world.url, CARILLON_KEY: world.liveKey };
  const listening = startOnOldest(['listen', '--forward', receiver.url], login);
  await expect.poll(() => listening.output, { timeout: 20_000 }).toMatch(/They are signed with \S+\n/);

  const { postId } = await makePost(world, world.sandboxSlug, { text: 'Relayed' });

  await expect.poll(() => listening.output, { timeout: 20_000 }).toMatch(/ {2}post\.sent {2}\S+ {2}HTTP 200\n/);
  expect(receiver.received.map(({ body }) => body.post.id)).toEqual([postId]);
});
