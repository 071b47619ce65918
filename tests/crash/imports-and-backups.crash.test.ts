/** An import, a backup and a restore whose process is killed midway: nothing is lost, and nothing is there twice. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listBackups } from '../../services/backups/list-backups.ts';
import { verifyBackup } from '../../services/backups/verify-backup.ts';
import { COMPILED } from './built-server.ts';
import { allSettled } from './all-settled.ts';
import { eachOnce, post, SANDBOX, schedule, startAgain, tally } from './posts.ts';
import { ENGINE, type Install, newFolder, newInstall, REPOSITORY, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const OPERATOR_TOKEN = 'operator-token-of-at-least-32-characters';

const textsFor = (count: number) => Array.from({ length: count }, (_, index) => `Bell ${index}`);

describe(`on ${ENGINE}, an import`, () => {
  const ROWS = 40;
  const file = {
    format: 'csv',
    content: `text\n${textsFor(ROWS).join('\n')}\n`,
    connectionSlugs: [SANDBOX],
    untimed: 'now',
  };

  const begin = async (server: ServerProcess) => (await server.rest('POST /imports', { body: file })).body.import;

  /** Waits until this many rows have posts. */
  const reach = (server: ServerProcess, importId: string, rows: number) =>
    waitUntil(`${rows} rows are created`, async () => {
      const found = (await server.rest(`GET /imports/${importId}?limit=1`)).body.import;
      return found.counts.created >= rows && found;
    });

  /** Ends the three minutes after which another worker goes on. */
  const again = async (install: Install) => {
    await install.sql("update imports set lease_until = now() - interval '1 second'");
    return startAgain(install);
  };

  it('goes on after each of two kills, and creates each post once, also when the file is sent again', async () => {
    const install = await newInstall();
    const first = await install.start();
    const { id } = await begin(first);
    await reach(first, id, 10);
    await first.kill9();
    const second = await again(install);
    const between = await reach(second, id, 25);
    await second.kill9();

    const third = await again(install);
    const done = await reach(third, id, ROWS);
    const repeated = await begin(third);
    await waitUntil('the repeated file is done', async () => {
      return (await third.rest(`GET /imports/${id}?limit=1`)).body.import.status === 'done';
    });
    await allSettled(third);
    await third.stop();

    // The kills came midway, or they would show nothing.
    expect(between.counts.pending).toBeGreaterThan(0);
    expect([done.counts.failed, repeated.id]).toEqual([0, id]);
    expect(await tally(install)).toMatchObject(eachOnce(ROWS) as object);
  });
});

describe.runIf(ENGINE === 'pglite')('on the embedded database', () => {
  const backUp = async (server: ServerProcess, folder: string): Promise<void> => {
    const response = await fetch(`${server.url}/operator/backups`, {
      method: 'POST',
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ folder }),
    });
    if (!response.ok) throw new Error(await response.text());
  };

  it('a backup that was killed is no backup, the install goes on, and the next one is complete', async () => {
    const install = await newInstall({ OPERATOR_TOKEN });
    const folder = await newFolder();
    const first = await install.start();
    const count = 10;
    await schedule(first, textsFor(count), new Date(Date.now() + 2_000));
    backUp(first, folder).catch(() => undefined);
    await waitUntil('the backup has begun', () => readdirSync(folder).length > 0);

    await first.kill9();

    const found = [readdirSync(folder), await listBackups(folder)];
    const second = await startAgain(install);
    await allSettled(second);
    await backUp(second, folder);
    await second.stop();
    const [backup] = await listBackups(folder);
    expect(found).toEqual([[expect.stringMatching(/^\.carillon-.+\.partial$/)], []]);
    expect(readdirSync(folder)).toEqual([path.basename(backup?.path ?? '')]);
    expect((await verifyBackup(backup?.path ?? '')).manifest.origin).toBe('operator');
    expect(await tally(install)).toMatchObject(eachOnce(count) as object);
  });

  /** Begins `backup restore` in a process. */
  const restoring = (install: Install, backup: string) => {
    const { PATH = '', HOME = '' } = process.env;
    const args = ['cli/carillon.ts', 'backup', 'restore', backup, '--data-dir', install.dataDir, '--replace'];
    const env = { PATH, HOME, ...COMPILED };
    return spawn(process.execPath, args, { cwd: REPOSITORY, env, stdio: 'ignore' });
  };

  it.each(['before it is unpacked', 'while its database is opened'])(
    'a restore that was killed %s loses no install, and can be repeated',
    async (when) => {
      const install = await newInstall({ OPERATOR_TOKEN });
      const folder = await newFolder();
      const first = await install.start();
      await post(first, SANDBOX, 'In the backup');
      await schedule(first, ['Due later'], new Date(Date.now() + 3_600_000));
      await backUp(first, folder);
      await post(first, SANDBOX, 'After the backup');
      await first.stop();
      const [backup] = await listBackups(folder);
      const sign = when.startsWith('before') ? 'restore.partial' : 'restore.partial/db/PG_VERSION';
      const killed = restoring(install, backup?.path ?? '');
      await waitUntil('the restore has come so far', () => existsSync(path.join(install.dataDir, sign)));

      killed.kill('SIGKILL');
      await once(killed, 'exit');

      const present = await install.sql('select text from posts order by id');
      const refused = install.launch();
      expect([(await refused.ended()).code, refused.stderr()]).toEqual([
        1,
        expect.stringContaining('has an unfinished restore; repeat it'),
      ]);
      const repeated = restoring(install, backup?.path ?? '');
      expect(await once(repeated, 'exit')).toEqual([0, null]);
      const second = await startAgain(install);
      const { posts } = (await second.rest('GET /posts')).body;
      await second.stop();
      expect(present).toHaveLength(3);
      expect(posts.map(({ text, status }: { text: string; status: string }) => `${text}: ${status}`)).toEqual([
        'Due later: scheduled',
        'In the backup: sent',
      ]);
      const aside = readdirSync(install.dataDir).filter((name) => name.startsWith('replaced-'));
      expect(aside).toHaveLength(1);
      expect(readdirSync(path.join(install.dataDir, aside[0] ?? ''))).toContain('db');
      expect(existsSync(path.join(install.dataDir, 'restore.partial'))).toBe(false);
    },
  );
});
