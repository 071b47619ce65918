/** The order of a queue after a restore: a post that is held stays where it is (docs/contract/scheduling.md#order-of-a-queue). */
import { expect, it } from 'vitest';
import { restoreCommand } from '../../../cli/restore-command.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { OPERATOR } from '../../harness/owner.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const DAY_MS = 86_400_000;

const world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
await world.runDue();

/** A queue with a slot a day whose first two posts were due when a backup was restored. */
async function restoredQueue() {
  const { key, connection } = await accountWithSandbox(world);
  const path = `/connections/${connection.id}/queue` as const;
  const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
  await world.rest(`PATCH ${path}`, { key, body: { slots } });
  const queue = async (text: string) => (await makePost(world, 'sandbox', { key, text, queue: true })).postId;
  const [first, second, third, fourth] = [await queue('1'), await queue('2'), await queue('3'), await queue('4')];
  const order = (...postIds: string[]) => world.rest(`PUT ${path}/order`, { key, body: { postIds } });
  const list = async () => (await world.rest(`GET ${path}`, { key })).body.queue;
  const sent = async () => (await sandboxOf(world, connection.id)).map(({ text }) => text);
  const before = await list();
  await world.sql(`update database_marks set home = 'of another database'`);
  world.clock.advance(2 * DAY_MS);
  return { first, second, third, fourth, order, list, sent, before };
}

it('a post that is held after a restore refuses the order, and nothing moves', async () => {
  const { first, third, fourth, order, list, sent, before } = await restoredQueue();
  const heldUntil = world.clock.now().toISOString();

  const { status, body } = await order(third, first);

  expect([status, body]).toEqual([
    409,
    {
      error: 'post_not_cancellable',
      message: `The post ${first} was due by ${heldUntil}, when a backup was restored, and may have gone out already: it is held, so the queue keeps its order. Leave the post out, cancel it, or ask the operator of this install to decide (npm run carillon -- restore settle).`,
      hint: expect.any(String),
      docs: expect.stringMatching(/#post_not_cancellable$/),
      retryable: false,
    },
  ]);
  expect(await list()).toEqual(before);
  expect(await eventsAbout(world, first)).toEqual([]);
  expect((await order(fourth, third)).status).toBe(200);
  for (const { scheduledFor } of before.slice(2))
    await world.advance(Date.parse(scheduledFor) - world.clock.now().getTime());
  expect(await sent()).toEqual(['4', '3']);
});

it('the posts take part in an order again once the operator releases them', async () => {
  const { second, third, order } = await restoredQueue();
  await world.runDue();
  await restoreCommand(fetch, ['release'], { PUBLIC_URL: world.url, OPERATOR_TOKEN: OPERATOR });

  const { status, body } = await order(second, third);

  const texts = body.queue.map(({ text }: { text: string }) => text);
  expect([status, texts.indexOf('2') < texts.indexOf('3')]).toEqual([200, true]);
});
