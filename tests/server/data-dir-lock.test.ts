import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { acquireDataDirLock } from '../../server/data-dir-lock.ts';

let home: string;
let children: ChildProcess[];

beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'carillon-lock-'));
  children = [];
});

afterEach(async () => {
  for (const child of children) await kill(child);
  await rm(home, { recursive: true });
});

const childProgram = `
  const [moduleUrl, dataDir] = process.argv.slice(1);
  const { acquireDataDirLock } = await import(moduleUrl);
  process.stdin.once('data', () => {
    acquireDataDirLock(dataDir).then(() => console.log('won'), (error) => console.log(error.message));
  });
  console.log('ready');
`;

/** A process that takes the lock on command, reports the result, and keeps it until it is killed. */
async function starter(dataDir: string) {
  const moduleUrl = new URL('../../server/data-dir-lock.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', childProgram, moduleUrl, dataDir], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  await lines.next();
  const acquire = async (): Promise<string> => {
    child.stdin.write('go\n');
    return (await lines.next()).value ?? '';
  };
  return { child, acquire };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

it('creates the directory, for its owner only', async () => {
  const dataDir = path.join(home, 'deep', 'data');

  const lock = await acquireDataDirLock(dataDir);

  expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
  await lock.release();
});

it('refuses a second server in one line that names the first, until the first releases the lock', async () => {
  const first = await acquireDataDirLock(home);

  await expect(acquireDataDirLock(home)).rejects.toThrow(
    `DATA_DIR ${home} is in use by another Carillon server (process ${process.pid}). ` +
      'Stop it first, set another DATA_DIR, or use PostgreSQL (DATABASE_URL) to run several.',
  );

  await first.release();
  await first.release();
  const second = await acquireDataDirLock(home);
  await second.release();
});

it('recognises the directory under another name', async () => {
  await symlink(home, `${home}-link`);
  const lock = await acquireDataDirLock(home);

  await expect(acquireDataDirLock(`${home}-link`)).rejects.toThrow('is in use by another Carillon server');

  await lock.release();
  await rm(`${home}-link`);
});

it('is refused by another process, and taken over when that process is killed', async () => {
  const other = await starter(home);
  expect(await other.acquire()).toBe('won');
  await expect(acquireDataDirLock(home)).rejects.toThrow(`(process ${other.child.pid})`);

  await kill(other.child);

  const lock = await acquireDataDirLock(home);
  await lock.release();
});

it('has one winner when eight processes compete for the lock of a killed one', async () => {
  const killed = await starter(home);
  await killed.acquire();
  await kill(killed.child);
  const racers = await Promise.all(Array.from({ length: 8 }, () => starter(home)));

  const answers = await Promise.all(racers.map((racer) => racer.acquire()));

  expect(answers.filter((answer) => answer === 'won')).toHaveLength(1);
  expect(answers.filter((answer) => answer.includes('is in use by another Carillon server'))).toHaveLength(7);
}, 120_000);

it('works below a very long path', async () => {
  const dataDir = path.join(home, 'a'.repeat(200), 'b'.repeat(200));

  const lock = await acquireDataDirLock(dataDir);

  await expect(acquireDataDirLock(dataDir)).rejects.toThrow('is in use by another Carillon server');
  await lock.release();
});

it('reports a directory that cannot be locked', async () => {
  await writeFile(path.join(home, 'lock'), 'this is not a lock file, and it is longer than a header'.repeat(4));

  await expect(acquireDataDirLock(home)).rejects.toThrow(`DATA_DIR ${home} cannot be locked (file is not a database)`);
});
