/** Webhooks after the clock was set back (docs/operations.md#when-a-clock-is-set). */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { createSeededRandom } from '../../harness/seeded-random.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const HOUR_MS = 3_600_000;

it('a webhook that was registered at the later time gets the events from then on, also once the process is new', async () => {
  const world = await startWorld();
  const { key } = await accountWithSandbox(world);
  const receiver = await startReceiver();
  const post = (text: string) => makePost(world, 'sandbox', { key, text });
  world.clock.set(new Date(START.getTime() + 2 * HOUR_MS));
  await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  world.clock.set(START);
  // A new process does not know the ids of the one before.
  Object.assign(world.context.random, createSeededRandom('restarted', world.clock));
  await post('of the earlier time');
  await world.runDue();
  world.clock.set(new Date(START.getTime() + 2 * HOUR_MS + 1));
  await post('of a time that has come again');

  await world.runDue();

  expect(receiver.received.map(({ body }) => body.post.text)).toEqual([
    'of the earlier time',
    'of a time that has come again',
  ]);
});

it('a webhook gets no event from before its registration, at any difference between the two times', async () => {
  const world = await startWorld();
  const { key } = await accountWithSandbox(world);
  const [first, second] = [await startReceiver(), await startReceiver()];
  await registerWebhook(world, first.url, { key, events: ['post.sent'] });
  await makePost(world, 'sandbox', { key, text: 'before' });
  world.clock.advance(1_000);
  await registerWebhook(world, second.url, { key, events: ['post.sent'] });

  await world.runDue();

  expect([first.received.length, second.received]).toEqual([1, []]);
});
