/**
 * A disk without space under the embedded database: requests say so, nothing is sent twice, and work goes on once there
 * is space, without a restart (docs/operations.md#when-a-disk-is-full).
 */
import { execFileSync } from 'node:child_process';
import { cp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allSettled } from './all-settled.ts';
import { attemptsOf, oneAccepted, type PostBody, SANDBOX, schedule } from './posts.ts';
import { ENGINE, newFolder, newInstall } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** A folder on a file system of this size; null when this user may not mount one. */
async function smallDisk(megabytes: number): Promise<string | null> {
  const folder = await newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    return null;
  }
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
  return folder;
}

/** Takes all space that is left. */
async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'w');
  const block = Buffer.alloc(64 * 1024);
  try {
    for (;;) await handle.write(block);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  } finally {
    await handle.close();
  }
}

describe.runIf(ENGINE === 'pglite')('on the embedded database', () => {
  it('a full disk refuses requests with storage_unavailable, and doubles and loses nothing that was accepted', async (test) => {
    const disk = await smallDisk(120);
    if (disk === null) return test.skip('not tested: only root may mount a small disk');
    const install = await newInstall();
    const dataDir = join(disk, 'data');
    await cp(install.dataDir, dataDir, { recursive: true });
    const server = await install.start({ DATA_DIR: dataDir });
    const texts = Array.from({ length: 5 }, (_, index) => `scheduled ${index}`);
    await schedule(server, texts, new Date(Date.now() + 4_000));
    const filler = join(disk, 'filler');
    await fillDisk(filler);
    const accepted: string[] = [];
    const refused = new Set<unknown>();
    const send = async (text: string) => {
      const { status, body } = await server.rest('POST /posts', { body: { text, connectionSlugs: [SANDBOX] } });
      if (status === 200) accepted.push(text);
      else refused.add(`${status} ${body.error}`);
    };

    await waitUntil('the disk is full', async () => {
      await send(`${accepted.length} ${'x'.repeat(450)}`);
      return refused.size > 0;
    });

    await rm(filler);
    await send('after');
    await allSettled(server);
    expect([...refused]).toEqual(['503 storage_unavailable']);
    expect(accepted.at(-1)).toBe('after');
    const { body } = await server.rest('GET /posts?status=sent&limit=100');
    const sent = (body.posts as PostBody[]).map(({ text }) => text);
    expect(sent).toEqual(expect.arrayContaining([...texts, ...accepted]));
    expect(new Set(sent).size).toBe(sent.length);
    for (const { id, platformPostId } of body.posts as PostBody[]) {
      expect(await attemptsOf(server, id)).toEqual(oneAccepted(platformPostId));
    }
    await server.stop();
  });
});
