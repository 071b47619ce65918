/** DATA_DIR is closed to other users of the machine, or the start fails. */
import { chmod, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { expect, it, onTestFinished, vi } from 'vitest';
import { secureDataDir } from '../../server/secure-data-dir.ts';

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-data-dir-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function modeOf(path: string): Promise<string> {
  return ((await stat(path)).mode & 0o777).toString(8);
}

const own = process.getuid?.();

it('a missing folder is created for its owner only, without a log line', async () => {
  const dataDir = join(await newFolder(), 'deep', 'data');
  const warn = vi.fn<Logger['warn']>();

  await secureDataDir(dataDir, { uid: own, log: { warn } });

  expect(await modeOf(dataDir)).toBe('700');
  expect(warn).not.toHaveBeenCalled();
});

it('an open folder is closed, with its content, and the log reports it', async () => {
  const dataDir = await newFolder();
  const elsewhere = await newFolder();
  await mkdir(join(dataDir, 'db'));
  await writeFile(join(dataDir, 'encryption.key'), 'key');
  await symlink(elsewhere, join(dataDir, 'media'));
  await Promise.all([chmod(elsewhere, 0o755), chmod(join(dataDir, 'db'), 0o755)]);
  await Promise.all([chmod(join(dataDir, 'encryption.key'), 0o644), chmod(dataDir, 0o755)]);
  const warn = vi.fn<Logger['warn']>();

  await secureDataDir(dataDir, { uid: own, log: { warn } });

  const modes = await Promise.all(
    [dataDir, join(dataDir, 'db'), join(dataDir, 'encryption.key'), elsewhere].map(modeOf),
  );
  expect(modes).toEqual(['700', '700', '600', '755']);
  expect(warn.mock.calls).toEqual([
    [{ dataDir, entries: 2 }, 'DATA_DIR was open to other users of this machine and was closed to them'],
  ]);
});

it('a folder of another user is refused', async () => {
  const dataDir = await newFolder();

  const refused = secureDataDir(dataDir, { uid: 4_711, log: { warn: vi.fn<Logger['warn']>() } });

  await expect(refused).rejects.toThrow(
    `DATA_DIR ${dataDir} belongs to another user (uid ${own}), who can replace what is in it; change its owner, or choose another folder.`,
  );
});
