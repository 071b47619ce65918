/** A server that is started without `npm start` says that its console is of another version (docs/operations.md#log-lines). */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { CONSOLE_DIST } from '../../server/built-console.js';

const ROOT = join(import.meta.dirname, '../..');
const RECORD = join(ROOT, CONSOLE_DIST, 'sources.json');

/** The log of a start that ends because no database answers. */
async function logOfStart(role: 'web' | 'worker'): Promise<unknown[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'carillon-console-build-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, ROLE: role, DATA_DIR: dataDir, DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const child = spawn(process.execPath, ['server/main.js'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [log, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect(error).toMatch(/^carillon: DATABASE_URL: the database cannot be opened/);
  return log
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);
}

it('warns on a web process when the console was built from other sources, and not otherwise', async () => {
  const record = readFileSync(RECORD, 'utf8');
  const built = await logOfStart('web');
  onTestFinished(() => writeFileSync(RECORD, record));
  writeFileSync(RECORD, JSON.stringify({ sources: 'of the version before' }));
  const [web, worker] = await Promise.all([logOfStart('web'), logOfStart('worker')]);

  expect(built).toEqual([]);
  expect(web).toEqual([
    {
      level: 'warn',
      time: expect.any(String),
      msg: 'the console was built from other sources: run npm run build, and restart',
    },
  ]);
  expect(worker).toEqual([]);
});
