/** An install moves from the embedded database to PostgreSQL and back, with everything that it has. */
import { readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { backupCommand } from '../../../cli/backup-command.ts';
import { databaseCommand } from '../../../cli/database-command.ts';
import { restoreCommand } from '../../../cli/restore-command.ts';
import { openPostgres } from '../../../entities/orm.ts';
import { databaseUrl, onServer, TEST_DATABASE_URL } from '../../harness/database.ts';
import { type EmbeddedInstall, newFolder, startEmbedded } from '../../harness/embedded-install.ts';
import { plain } from '../../harness/images.ts';
import { startReceiver } from '../../harness/receiver.ts';
import { LIVE_KEY } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const CREATE = 'POST /api/v1/statuses';
const NAME = `carillon_copy_${process.pid}`;
const RESTORED = `carillon_copy_restored_${process.pid}`;

describe.runIf(TEST_DATABASE_URL !== undefined)('with a PostgreSQL server', async () => {
  if (TEST_DATABASE_URL === undefined) return;
  const platform = await startFakeMastodon({ now: () => new Date() });
  platform.addAccount('alice', 'a-token');
  const receiver = await startReceiver(200, afterAll);
  const url = databaseUrl(NAME);
  for (const name of [NAME, RESTORED]) {
    await onServer(`drop database if exists ${name} with (force)`);
    await onServer(`create database ${name}`);
  }
  afterAll(async () => {
    await platform.close();
    for (const name of [NAME, RESTORED]) await onServer(`drop database if exists ${name} with (force)`);
  });
  const dataDir = await newFolder();
  const settings = { CLOCK: 'system', CLOCK_START: '' };
  const run = (...args: string[]) => databaseCommand(args, { DATA_DIR: dataDir });
  const settled = async (install: EmbeddedInstall, id: string) => {
    await expect.poll(async () => (await install.rest(`GET /posts/${id}`)).post.status).toBe('sent');
  };

  it(
    'posts, keys, images and webhooks go to PostgreSQL and back, and each post goes out once',
    { timeout: 180_000 },
    async () => {
      const first = await startEmbedded(dataDir, settings);
      const credentials = { instanceUrl: platform.url, accessToken: 'a-token' };
      await first.rest('POST /connections', { platformId: 'mastodon', slug: 'alice', credentials });
      await first.rest('POST /webhooks', { url: receiver.url, events: ['post.sent'] });
      const body = new Uint8Array(await plain(12, 8).png().toBuffer());
      const headers = { 'x-api-key': LIVE_KEY, 'content-type': 'image/png' };
      const uploaded = await fetch(`${first.url}/api/v2/media`, { method: 'POST', headers, body });
      const { id } = ((await uploaded.json()) as { media: { id: string } }).media;
      const soon = (seconds: number) => new Date(first.context.clock.now().getTime() + seconds * 1000).toISOString();
      const post = { text: 'moved', connectionSlugs: ['alice'], media: [{ id, altText: 'A bell,\n"in" {braces}' }] };
      const [now] = (await first.rest('POST /posts', { ...post, text: 'at once' })).results;
      const [due] = (await first.rest('POST /posts', { ...post, scheduledFor: soon(600) })).results;
      const [later] = (await first.rest('POST /posts', { ...post, text: 'back', scheduledFor: soon(600) })).results;
      await settled(first, now.postId);
      await first.stop();

      expect(await run('copy', '--to', url)).toMatch(
        /^\d+ tables with \d+ rows are copied; counts and checksums are equal\.\n/,
      );

      const second = await startEmbedded(dataDir, { ...settings, DATABASE_URL: url });
      expect(second.context.db.engine).toBe('postgres');
      expect(await restoreCommand(fetch, ['status'], second.env)).toBe('No posts are held.\n');
      await second.rest(`POST /posts/${due.postId}/reschedule`, { scheduledFor: soon(3) });
      await settled(second, due.postId);
      await expect.poll(() => receiver.received.length).toBe(2);
      await second.stop();
      await rename(join(dataDir, 'db'), join(dataDir, 'db-before'));

      expect(await run('copy', '--from', url)).toContain(`Unset DATABASE_URL and start with DATA_DIR=${dataDir}.`);

      const third = await startEmbedded(dataDir, settings);
      expect((await third.rest('GET /posts')).posts).toHaveLength(3);
      expect((await third.rest(`GET /posts/${later.postId}`)).post).toMatchObject({
        status: 'scheduled',
        media: [{ id }],
      });
      await third.rest(`POST /posts/${later.postId}/reschedule`, { scheduledFor: soon(3) });
      await settled(third, later.postId);
      await expect.poll(() => receiver.received.length).toBe(3);
      const texts = platform.posts().map(({ text }) => text);
      expect(texts.toSorted()).toEqual(['at once', 'back', 'moved']);
      expect(platform.calls[CREATE]).toBe(3);
      expect(await restoreCommand(fetch, ['status'], third.env)).toBe('No posts are held.\n');
      await third.stop();
      const old = await openPostgres(url);
      const marks = old.queries.getKysely<{ database_marks: { home: string } }>().selectFrom('database_marks');
      expect(await marks.select('home').execute()).toEqual([{ home: 'a restored backup' }]);
      await old.close();
    },
  );

  it('a restored backup that is copied before its first start holds what was due', { timeout: 180_000 }, async () => {
    const folder = await newFolder();
    const now = new Date().getTime();
    const first = await startEmbedded(folder, { CLOCK_START: new Date(now - 3_600_000).toISOString() });
    platform.addAccount('bob', 'b-token');
    const credentials = { instanceUrl: platform.url, accessToken: 'b-token' };
    await first.rest('POST /connections', { platformId: 'mastodon', slug: 'bob', credentials });
    const post = { text: 'once', connectionSlugs: ['bob'], scheduledFor: new Date(now - 3_000_000).toISOString() };
    const [{ postId }] = (await first.rest('POST /posts', post)).results;
    const callsBefore = platform.calls[CREATE] ?? 0;
    const [backup = ''] = (await backupCommand(fetch, ['create', '--to', await newFolder()], first.env)).split('\n');
    await first.advance(1_200);
    await settled(first, postId);
    await first.stop();
    await backupCommand(fetch, ['restore', backup, '--replace'], { DATA_DIR: folder });

    const copied = await databaseCommand(['copy', '--to', databaseUrl(RESTORED)], { DATA_DIR: folder });

    expect(copied).toContain('posts that are due at the next start are held.');
    const second = await startEmbedded(folder, { ...settings, DATABASE_URL: databaseUrl(RESTORED) });
    expect(await restoreCommand(fetch, ['status'], second.env)).toMatch(/^Held: 1 post that was due by/);
    await restoreCommand(fetch, ['settle'], second.env);
    await settled(second, postId);
    expect(platform.calls[CREATE]).toBe(callsBefore + 1);
    await second.stop();
  });

  it.each([
    ['a database with rows', 'The target is not empty: ', ['--to', url]],
    ['a folder with a database', 'has an embedded database. Name another folder', ['--from', url]],
    ['something else than PostgreSQL', '--to: expected a URL that begins with postgres://.', ['--to', 'mysql://x/y']],
  ])('is refused into %s', async (_what, message, args) => {
    await expect(run('copy', ...args)).rejects.toThrow(message);
  });

  it('is refused while another process has the database', async () => {
    const other = await openPostgres(url);
    const pool = other.openPool?.(1);
    const held = await pool?.connect();
    const folder = await newFolder();

    await expect(databaseCommand(['copy', '--from', url, '--data-dir', folder], {})).rejects.toThrow(
      /^The source has \d+ other connections\. Stop every process of Carillon first/,
    );
    held?.release();
    await pool?.end();
    await other.close();
    expect(await readdir(folder)).not.toContain('db');
  });
});
