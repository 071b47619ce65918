/** A feed does not end with a key when another key changes its posts while a poll finds the end (docs/contract/feeds.md#items). */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { pollFeeds } from '../../../services/feeds/poll-feeds.ts';
import { whenOver } from '../../harness/closing.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { beforeTransactions } from '../../harness/interleave.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

/** A feed with one item, whose key has ended; another key of the account changes it before a poll disables it. */
async function changedDuringPoll(changes: object) {
  const world = await startWorld({ logLevel: 'warn' });
  const { key, id: accountId } = await accountWithSandbox(world);
  const receiver = await startReceiver();
  await registerWebhook(world, receiver.url, { key, events: ['feed.disabled'] });
  const date = new Date(world.clock.now().getTime() + 1_000).toUTCString();
  const item = `<item><guid>1</guid><title>Ding</title><pubDate>${date}</pubDate></item>`;
  const document = `<?xml version="1.0"?><rss version="2.0"><channel><title>Bells</title>${item}</channel></rss>`;
  const server = createServer((_request, response) => response.end(document));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  whenOver(async () => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
  const first = await world.key({ accountId });
  const body = { url, connectionSlugs: ['sandbox'] };
  const { feed } = (await world.rest('POST /feeds', { key: first.secret, body })).body;
  await world.rest(`DELETE /keys/${first.id}`, { key });
  let transactions = 0;
  const context = beforeTransactions(world.context, async () => {
    transactions += 1;
    // The first one finds that the key has ended, and the second one disables the feed.
    if (transactions === 2) await world.rest(`PATCH /feeds/${feed.id}`, { key, body: changes });
  });
  const logged = world.logged.length;

  await pollFeeds(context, new AbortController().signal);

  const read = async () => (await world.rest(`GET /feeds/${feed.id}`, { key })).body.feed;
  const after = await read();
  await world.runDue();
  return {
    feed,
    now: world.clock.now().toISOString(),
    after,
    later: await read(),
    warnings: world.logged.slice(logged).map((line) => (JSON.parse(line) as { msg: string }).msg),
    events: receiver.received.map(({ body: event }) => (event as { event: string }).event),
    texts: (await world.rest('GET /posts', { key })).body.posts.map(({ text }: { text: string }) => text),
  };
}

it.each([{ template: '{title}!' }, { template: '{title}!', intervalMinutes: 15 }])(
  'goes on at once with the key that changes it with %j',
  async (changes) => {
    const { feed, now, after, later, warnings, events, texts } = await changedDuringPoll(changes);

    expect(after).toEqual({ ...feed, ...changes, lastPolledAt: now, nextPollAt: now });
    expect(later).toMatchObject({ enabled: true, disabledReason: null, lastOkAt: now, lastError: null });
    expect([warnings, events, texts]).toEqual([[], [], ['Ding!']]);
  },
);

it('ends with its key when another one only changes how often it is polled', async () => {
  const { after, warnings, events, texts } = await changedDuringPoll({ intervalMinutes: 15 });

  expect(after).toMatchObject({
    enabled: false,
    disabledReason: 'ended',
    lastError: 'The key, agent or role that added the feed has ended.',
  });
  expect([warnings, events, texts]).toEqual([['a feed was disabled'], ['feed.disabled'], []]);
});
