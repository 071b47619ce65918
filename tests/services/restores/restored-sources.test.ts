/**
 * Feeds and imports after a restore: they make nothing that may have gone out after the backup was made
 * (docs/decisions/0086-hold-due-posts-after-a-restore.md).
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { restoreCommand } from '../../../cli/restore-command.ts';
import { feeds as feedLoop } from '../../../jobs/feeds.ts';
import { imports as importLoop } from '../../../jobs/imports.ts';
import { whenOver } from '../../harness/closing.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { OPERATOR } from '../../harness/owner.ts';
import { startWorld } from '../../harness/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOT_RUN =
  'A backup was restored that may be older than the posts of this row: look for them before sending the file again, which runs the row again.';

// eslint-disable-next-line typescript/no-explicit-any -- answers of the API
type Answer = any;

const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });

afterEach(async () => {
  await world.sql('delete from feeds');
  await world.sql('delete from imports');
  await world.sql('update database_marks set held_until = null, is_settling = false');
});

const iso = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

/** Runs `npm run carillon -- restore`. */
function restore(...args: string[]): Promise<string> {
  return restoreCommand(fetch, args, { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });
}

/** Makes the database a restored backup. */
async function restoreBackup(): Promise<void> {
  await world.sql(`update database_marks set home = 'of another database'`);
}

/** An account whose queue has a slot each day. */
async function accountWithQueue() {
  const { key, connection } = await accountWithSandbox(world);
  const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
  await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots, timezone: 'UTC' } });
  const texts = async (): Promise<string[]> =>
    (await world.rest('GET /posts?limit=100', { key })).body.posts.map(({ text }: Answer) => text).toSorted();
  return { key, texts };
}

/** An account with a feed that was polled once, and with what its server publishes and was asked. */
async function accountWithFeed(delivery: 'queue' | 'draft' = 'queue') {
  const items: string[] = [];
  const server = createServer((_request, response) => {
    asked += 1;
    void answers.then(() => response.end(`<rss version="2.0"><channel>${items.join('')}</channel></rss>`));
  });
  let asked = 0;
  let answers = Promise.resolve();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenOver(async () => {
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
  const account = await accountWithQueue();
  const body = { url, connectionSlugs: ['sandbox'], template: '{title}', delivery };
  const { feed } = (await world.rest('POST /feeds', { key: account.key, body })).body;
  const publish = (title: string, date = `<pubDate>${world.clock.now().toUTCString()}</pubDate>`) =>
    items.push(`<item><guid>${title}</guid><title>${title}</title>${date}</item>`);
  publish('of the backup');
  await world.advance(1_000);
  const answerLater = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answers = promise;
    return resolve;
  };
  const read = async (): Promise<Answer> => (await world.rest(`GET /feeds/${feed.id}?limit=100`, account)).body;
  const statuses = async () =>
    (await read()).items.map(({ title, status }: Answer) => `${title}: ${status}`).toSorted();
  return { ...account, publish, asked: () => asked, answerLater, statuses };
}

describe('a feed', () => {
  it('is not polled until the operator decides, and then passes over what may have gone out', async () => {
    const feed = await accountWithFeed();
    await world.advance(HOUR_MS);
    feed.publish('since the backup');
    feed.publish('without a date', '');
    await restoreBackup();
    const askedBefore = feed.asked();

    await world.advance(2 * HOUR_MS);

    expect([feed.asked(), await feed.texts()]).toEqual([askedBefore, ['of the backup']]);
    expect(await feedLoop.nextDueAt?.(world.context)).toBeNull();
    expect(await restore('status')).toMatch(
      /^Held: 0 posts that were due by \S+\.\nWaiting until you settle or release: 1 feed, 0 imports\.\n$/,
    );
    expect(await restore('settle')).toMatch(/\nWaiting until that is over: 1 feed, 0 imports\.\n$/);
    await world.runDue();
    expect(await restore('status')).toBe('No posts are held.\n');
    feed.publish('after the restore');
    await world.advance(HOUR_MS);
    expect(await feed.texts()).toEqual(['after the restore', 'of the backup']);
    expect(await feed.statuses()).toEqual([
      'after the restore: created',
      'of the backup: created',
      'since the backup: passed',
      'without a date: passed',
    ]);
  });

  it('makes posts of all new items once the operator releases them', async () => {
    const feed = await accountWithFeed();
    await world.advance(HOUR_MS);
    feed.publish('since the backup');
    await restoreBackup();
    await world.advance(2 * HOUR_MS);

    expect(await restore('release')).toBe('No posts are held.\n');
    await world.advance(HOUR_MS);

    expect(await feed.texts()).toEqual(['of the backup', 'since the backup']);
  });

  it('makes its drafts again once the held posts are settled, because a person publishes them', async () => {
    const feed = await accountWithFeed('draft');
    await world.advance(HOUR_MS);
    feed.publish('since the backup');
    await restoreBackup();
    await world.advance(2 * HOUR_MS);

    await restore('settle');
    await world.advance(HOUR_MS);

    expect(await feed.texts()).toEqual(['of the backup', 'since the backup']);
  });

  it('that was added after the restore begins with its items as usual', async () => {
    await restoreBackup();
    await world.runDue();
    await world.advance(HOUR_MS);
    const feed = await accountWithFeed();

    await restore('settle');
    await world.advance(HOUR_MS);

    expect(await feed.texts()).toEqual(['of the backup']);
  });

  it('gets nothing of a poll during which the backup is restored', async () => {
    const feed = await accountWithFeed();
    const askedBefore = feed.asked();
    feed.publish('since the backup');
    const answer = feed.answerLater();
    world.clock.advance(HOUR_MS);
    const poll = feedLoop.run(world.context, new AbortController().signal);
    await expect.poll(feed.asked).toBe(askedBefore + 1);
    await restoreBackup();
    answer();

    await expect(poll).rejects.toThrow('the database was restored a moment ago');

    await restore('settle');
    await world.advance(HOUR_MS);
    expect(await feed.texts()).toEqual(['of the backup']);
  });
});

describe('a running import', () => {
  /** Starts an import, and restores the backup before a worker has run it. */
  async function restoredImport(rows: readonly object[], options: object = {}) {
    const account = await accountWithQueue();
    const content = JSON.stringify(rows.map((row) => ({ connectionSlugs: ['sandbox'], ...row })));
    const body = { format: 'json', content, ...options };
    const send = () => world.rest('POST /imports', { key: account.key, body });
    const { id } = (await send()).body.import;
    await restoreBackup();
    await world.advance(HOUR_MS);
    const read = async (): Promise<Answer> => (await world.rest(`GET /imports/${id}?limit=100`, account)).body;
    const errors = async () => (await read()).rows.map(({ error }: Answer) => error);
    return { ...account, send, read, errors };
  }

  it('waits until the operator decides, and then leaves out the rows that may have gone out', async () => {
    const one = await restoredImport(
      [
        { text: 'at once' },
        { text: 'queued', queue: true },
        { text: 'draft', isDraft: true },
        { text: 'later', scheduledFor: iso(DAY_MS) },
        { text: 'missed', scheduledFor: iso(HOUR_MS / 2) },
      ],
      { untimed: 'now' },
    );
    expect([(await one.read()).import.status, await one.texts()]).toEqual(['running', []]);
    expect(await importLoop.nextDueAt?.(world.context)).toBeNull();
    expect(await restore('status')).toMatch(/\nWaiting until you settle or release: 0 feeds, 1 import\.\n$/);

    await restore('settle');
    await world.advance(1_000);

    expect((await one.read()).import).toMatchObject({
      status: 'done',
      counts: { pending: 0, valid: 0, created: 2, skipped: 0, failed: 3 },
    });
    const notRun = { code: 'outcome_unknown', message: NOT_RUN };
    const missed = { code: 'invalid_request', message: expect.stringContaining('scheduledFor') };
    expect(await one.errors()).toEqual([notRun, notRun, null, null, missed]);
    expect(await one.texts()).toEqual(['draft', 'later']);
  });

  it('runs the rows that were left out when its file is sent again', async () => {
    const one = await restoredImport([{ text: 'queued', queue: true }]);
    await restore('settle');
    await world.advance(1_000);
    expect(await one.texts()).toEqual([]);

    await one.send();
    await world.runDue();

    expect(await one.errors()).toEqual([null]);
    expect(await one.texts()).toEqual(['queued']);
  });

  it('runs all its rows once the operator releases them', async () => {
    const one = await restoredImport([
      { text: 'queued', queue: true },
      { text: 'draft', isDraft: true },
    ]);

    await restore('release');
    await world.advance(1_000);

    expect(await one.texts()).toEqual(['draft', 'queued']);
  });

  it('of a dry run goes on, because it creates nothing', async () => {
    const one = await restoredImport([{ text: 'queued', queue: true }], { dryRun: true });

    await restore('settle');
    await world.advance(1_000);

    expect((await one.read()).import.counts).toMatchObject({ valid: 1, failed: 0 });
  });
});
