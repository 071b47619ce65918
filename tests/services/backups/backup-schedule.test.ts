/** The schedule of backups: when one is made, how many are kept, and where a failure shows. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { backupCommand } from '../../../cli/backup-command.ts';
import type { ManualClock } from '../../../server/clocks.ts';
import { readConfig } from '../../../server/config.ts';
import type { MediaStore } from '../../../services/ports/media-store.ts';
import { TEST_DATABASE_URL } from '../../harness/database.ts';
import { type EmbeddedInstall, newFolder, startEmbedded } from '../../harness/embedded-install.ts';
import { EMAIL, OPERATOR, OWNER_ENV } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const HOUR = 3600;
const mail = await startFakeMail();
afterAll(() => mail.close());
const dataDir = await newFolder();
const folder = join(dataDir, 'backups');
const install = await startEmbedded(dataDir, {
  ...OWNER_ENV,
  BACKUP_EVERY_HOURS: '6',
  BACKUP_KEEP: '2',
  SMTP_URL: mail.url,
  SMTP_FROM: MAILBOX.from,
});

const checked = async (from: EmbeddedInstall) => (await from.rest('GET /health')).checks.backups;
const newest = async () => /^carillon_backup_newest_timestamp_seconds (\S+)/m.exec(await metrics())?.[1];
const metrics = async () => (await fetch(`${install.url}/metrics`)).text();

it('makes a backup at each interval and keeps the newest, and those that the operator asked for', async () => {
  await backupCommand(fetch, ['create'], install.env);
  for (let round = 0; round < 4; round += 1) await install.advance(6 * HOUR);

  expect((await readdir(folder)).toSorted()).toEqual([
    'carillon-20270301T080000Z',
    'carillon-20270302T020000Z',
    'carillon-20270302T080000Z',
  ]);
  const at = '2027-03-02T08:00:00.000Z';
  expect(await checked(install)).toEqual({ ok: true, lastRunAt: at, lastOkAt: at });
  expect(await newest()).toBe(String(Date.parse(at) / 1000));
});

it('leaves those of a later time, which were made before the clock was set back', async () => {
  const names = ['carillon-20300101T000000Z', 'carillon-20300102T000000Z'];
  const text = await readFile(join(folder, 'carillon-20270302T080000Z', 'manifest.json'), 'utf8');
  for (const name of names) {
    const createdAt = name.replace(/carillon-(....)(..)(..)T.*/, '$1-$2-$3T00:00:00.000Z');
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'manifest.json'), JSON.stringify({ ...JSON.parse(text), createdAt }));
  }

  await install.advance(6 * HOUR);

  expect((await readdir(folder)).toSorted()).toEqual([
    'carillon-20270301T080000Z',
    'carillon-20270302T080000Z',
    'carillon-20270302T140000Z',
    ...names,
  ]);
  for (const name of names) await rm(join(folder, name), { recursive: true });
});

it('that cannot remove an older one removes the others, and says so', async () => {
  const text = await readFile(join(folder, 'carillon-20270302T080000Z', 'manifest.json'), 'utf8');
  // A name that has no room for the one under which it is removed.
  const stuck = `carillon-20270228T000000Z-${'1'.repeat(225)}`;
  for (const [name, createdAt] of [
    [stuck, '2027-02-28T00:00:00.000Z'],
    ['carillon-20270227T000000Z', '2027-02-27T00:00:00.000Z'],
  ] as const) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'manifest.json'), JSON.stringify({ ...JSON.parse(text), createdAt }));
  }
  const log = vi.spyOn(install.context.log, 'error');

  await install.advance(6 * HOUR);

  expect((await readdir(folder)).toSorted()).toEqual([
    stuck,
    'carillon-20270301T080000Z',
    'carillon-20270302T140000Z',
    'carillon-20270302T200000Z',
  ]);
  expect(log.mock.calls).toEqual([[{ err: expect.any(Error) }, 'older backups could not be removed']]);
  expect(await checked(install)).toMatchObject({ ok: true, lastOkAt: '2027-03-02T20:00:00.000Z' });
  log.mockRestore();
  await rm(join(folder, stuck), { recursive: true });
});

it('makes none before the interval is over', async () => {
  await install.advance(5 * HOUR);

  expect((await readdir(folder)).length).toBe(3);
});

it('shows a failure in health and in one mail to the owners, and recovers', async () => {
  await rm(folder, { recursive: true });
  await writeFile(folder, 'not a folder');

  await install.advance(7 * HOUR);
  await install.advance(HOUR);
  await install.advance(1);

  expect(await checked(install)).toMatchObject({ ok: false, lastRunAt: '2027-03-03T09:00:00.000Z' });
  expect((await install.rest('GET /health')).status).toBe('degraded');
  expect(mail.messages()).toHaveLength(1);
  const [message] = mail.messages();
  expect(message?.recipient).toBe(EMAIL);
  expect(message?.raw).toMatch(/Subject: A backup of Carillon failed\r\n/);
  expect(message?.raw).toContain('failed: ');
  await rm(folder);
  await mkdir(folder);
  await install.advance(HOUR);
  expect(await checked(install)).toMatchObject({ ok: true });
  expect(await readdir(folder)).toHaveLength(1);
});

it('that takes long does not make its loop late', async () => {
  const media = install.context.media as Required<MediaStore>;
  const clock = install.context.clock as ManualClock;
  const isLate = async (loop: string) =>
    new RegExp(`^carillon_worker_loop_late\\{loop="${loop}"\\} (\\d)`, 'm').exec(await metrics())?.[1];
  const late: unknown[] = [];
  const snapshot = media.snapshot.bind(media);
  const slow = vi.spyOn(media, 'snapshot').mockImplementation(async (...given) => {
    await snapshot(...given);
    clock.set(new Date(clock.now().getTime() + 600_000));
    late.push(await isLate('backups'), await isLate('scheduledPosts'));
  });

  await install.advance(6 * HOUR);

  slow.mockRestore();
  expect(late).toEqual(['0', '1']);
  expect(await isLate('backups')).toBe('0');
  await install.advance(HOUR);
  clock.set(new Date(clock.now().getTime() + 600_000));
  expect(await isLate('backups')).toBe('1');
});

it('is refused on PostgreSQL, with the tools that back it up', () => {
  const env = { BACKUP_EVERY_HOURS: '6', DATABASE_URL: 'postgres://localhost/carillon' };

  expect(() => readConfig(env)).toThrow(
    'BACKUP_EVERY_HOURS: backs up the embedded database only; unset it, and back PostgreSQL up with pg_dump or pgBackRest',
  );
});

it.runIf(TEST_DATABASE_URL !== undefined)('the operator is refused a backup of PostgreSQL', async () => {
  const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
  const env = { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR };

  await expect(backupCommand(fetch, ['create'], env)).rejects.toThrow('Back PostgreSQL up with pg_dump or pgBackRest');
});
