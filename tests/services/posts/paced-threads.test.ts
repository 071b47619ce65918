/** A thread with more messages than its chat takes in a minute is sent at the pace of the chat, under a claim that holds. */
import { afterAll, beforeEach, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeTelegram } from '../../platforms/fakes/fake-telegram.ts';

const server = await startFakeTelegram({ now: () => world.clock.now() });
afterAll(() => server.close());
const world = await startWorld({ env: { TELEGRAM_API_URL: server.url } });

const TOKEN = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11';
const THREAD = Array.from({ length: 24 }, (_, index) => `reply ${index + 1}`);
const MINUTE = 60_000;

server.bots.set(TOKEN, { id: 123456, username: 'bells_bot' });
server.addChat({ id: -1007, type: 'supergroup', username: 'ringers' });
server.addChat({ id: -1008, type: 'channel', username: 'thebells' });
for (const [slug, chatId] of [
  ['group', '@ringers'],
  ['channel', '@thebells'],
]) {
  const credentials = { botToken: TOKEN, chatId };
  await world.rest('POST /connections', { body: { platformId: 'telegram', slug, credentials } });
}

/** What happens before time passes. */
let beforeWait = (_ms: number): Promise<void> | void => undefined;
let waits: number[] = [];
let passed = 0;
world.clock.elapsed = () => passed;
world.clock.sleep = async (ms) => {
  await beforeWait(ms);
  waits.push(ms);
  passed += ms;
  world.clock.advance(ms);
};

beforeEach(() => {
  beforeWait = () => undefined;
  waits = [];
  // Messages of the test before do not count any more.
  world.clock.advance(MINUTE);
  server.clear();
});

async function post(slug: string, fields: object) {
  const { body } = await world.rest('POST /posts', { body: { text: 'head', connectionSlugs: [slug], ...fields } });
  return body.results?.[0];
}

async function upload(): Promise<string> {
  const raw = await plain(9, 9).png().toBuffer();
  const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

const texts = () => server.messages().map(({ text }) => text);
const waitedMs = () => waits.reduce((sum, ms) => sum + ms, 0);

it('a thread of 25 messages to a group waits after 20 until a minute has passed since the first', async () => {
  const result = await post('group', { thread: THREAD });

  expect(result).toMatchObject({ status: 'sent', threadCount: 24, error: null });
  expect(texts()).toEqual(['head', ...THREAD]);
  // The last of the 25 waits for the fifth, which was sent at four seconds.
  expect(waitedMs()).toBe(MINUTE + 5_000);
});

it('each image of an album counts as a message', async () => {
  const mediaIds = [await upload(), await upload(), await upload()];
  const long = 'y'.repeat(1_025);

  const result = await post('group', { text: long, mediaIds, thread: THREAD });

  expect(result).toMatchObject({ status: 'sent', threadCount: 24, error: null });
  expect(texts()).toEqual(['', '', '', long, ...THREAD]);
});

it('a thread to a channel waits a second between its messages only', async () => {
  const result = await post('channel', { thread: THREAD });

  expect(result).toMatchObject({ status: 'sent', threadCount: 24, error: null });
  expect(waits).toEqual(THREAD.map(() => 1_000));
});

it('the claim holds while the thread waits', async () => {
  const leftMs: number[] = [];
  beforeWait = async (ms) => {
    const [row] = await world.sql<{ at: string }>(`select claimed_until as at from posts where status = 'processing'`);
    leftMs.push(new Date(row?.at ?? 0).getTime() - world.clock.now().getTime() - ms);
  };

  const result = await post('group', { thread: THREAD });

  expect(result.status).toBe('sent');
  expect(leftMs.length).toBeGreaterThan(THREAD.length);
  expect(leftMs.filter((ms) => ms <= 0)).toEqual([]);
});

it('a thread whose process ends while it waits goes on at the pace of the chat', async () => {
  beforeWait = (ms) => {
    if (ms > 1_000) throw new Error('the process ends');
  };
  await post('group', { thread: THREAD });
  const before = texts();
  beforeWait = () => undefined;
  await world.sql(`update posts set claimed_until = $1 where status = 'processing'`, [world.clock.now()]);

  await world.runDue();

  const { posts } = (await world.rest('GET /posts?limit=1')).body;
  const { post: found } = (await world.rest(`GET /posts/${posts[0].id}`)).body;
  expect([before.length, found.status, found.threadCount]).toEqual([20, 'sent', 24]);
  expect(texts()).toEqual(['head', ...THREAD]);
});
