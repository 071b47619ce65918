/** Deliveries through kill -9: each sent post is announced at least once, and no other post is. */
import { expect, it } from 'vitest';
import { allSettled } from './all-settled.ts';
import { schedule } from './posts.ts';
import { register, startReceiver } from './receiver.ts';
import { ENGINE, type Install, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

/** Time to schedule the posts before they are due, also on a busy machine. */
const SCHEDULING_MS = 15_000;

/** Longest time that deliveries may take. */
const DELIVERED_WITHIN_MS = 50_000;

/** On PostgreSQL a dead process holds webhook leases and sends for a minute. This helper ends that minute at once. */
async function startAgain(install: Install): Promise<ServerProcess> {
  if (ENGINE === 'postgres') {
    await install.sql(`update webhooks set lease_until = now() - interval '1 second' where lease_until is not null`);
    await install.sql(`update posts set claimed_until = now() - interval '1 second' where status = 'processing'`);
  }
  return install.start();
}

function allDelivered(server: ServerProcess, webhookId: string, count: number): Promise<boolean> {
  return waitUntil(
    'all is delivered',
    async () => {
      const { body } = await server.rest(`GET /webhooks/${webhookId}/deliveries?status=delivered&limit=100`);
      return body.deliveries.length === count;
    },
    DELIVERED_WITHIN_MS,
  );
}

it('a process killed in an attempt: the attempt repeats under the same id, and queued deliveries follow', async () => {
  const install = await newInstall();
  let hangs = true;
  const { url, received } = await startReceiver((response) => {
    if (!hangs) response.writeHead(204).end();
  });
  const server = await install.start();
  const webhookId = await register(server, url);
  // All at one instant, because the kill must hit the attempt within its five seconds.
  await schedule(server, ['one', 'two', 'three'], new Date(Date.now() + SCHEDULING_MS));
  await waitUntil('the first attempt is in progress', () => received.length === 1);

  await server.kill9();
  hangs = false;
  const again = await startAgain(install);
  await allDelivered(again, webhookId, 3);

  expect(received).toHaveLength(4);
  expect(received[1]).toEqual(received[0]);
  expect(new Set(received.map(({ text }) => text))).toEqual(new Set(['one', 'two', 'three']));
});

it('a process killed repeatedly while it sends and delivers: every sent post is announced, and no other', async () => {
  const install = await newInstall();
  const { url, received } = await startReceiver((response) => response.writeHead(204).end());
  const texts = Array.from({ length: 60 }, (_, index) => `number ${index}`);
  let server = await install.start();
  const webhookId = await register(server, url);
  await schedule(server, texts, new Date(Date.now() + SCHEDULING_MS));

  for (const enough of [1, 15, 35]) {
    await waitUntil(`${enough} are delivered`, () => received.length >= enough);
    await server.kill9();
    server = await startAgain(install);
  }
  await allSettled(server);
  await allDelivered(server, webhookId, texts.length);

  expect([...new Set(received.map(({ text }) => text))].toSorted()).toEqual(texts.toSorted());
  expect(new Set(received.map(({ eventId }) => eventId)).size).toBe(texts.length);
});
