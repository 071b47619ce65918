/** Secrets that the first start creates in DATA_DIR. */
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { readOrCreateSecret } from '../../server/stored-secret.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon-secret-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

it('is the same for all processes that start at once, and leaves nothing else in the folder', async () => {
  const starts = Array.from({ length: 20 }, (_, index) => readOrCreateSecret(folder, 'a.key', () => `secret ${index}`));

  const secrets = new Set(await Promise.all(starts));

  expect(secrets.size).toBe(1);
  expect(await readdir(folder)).toEqual(['a.key']);
});

it('that exists is read, and nothing is written or made', async () => {
  await writeFile(join(folder, 'a.key'), 'the first one\n');

  const read = await readOrCreateSecret(folder, 'a.key', () => {
    throw new Error('no second one is made');
  });

  expect(read).toBe('the first one');
});
