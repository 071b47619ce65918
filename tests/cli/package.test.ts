/** The package `carillon`: packed, installed without a network, and run by the plain Node.js of the machine. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld } from '../harness/world.ts';

const run = promisify(execFile);
const cli = path.join(import.meta.dirname, '..', '..', 'cli');
const world = await startWorld();
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
