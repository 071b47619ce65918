/** A webhook whose secret cannot be decrypted here, for example because a worker has not got a new key yet. */
import { expect, it, onTestFinished } from 'vitest';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { createWebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

it.each([
  ['when fan-out hands its deliveries over', true],
  ['when its deliveries are claimed', false],
])('waits alone %s: others get the event, and it is tried again every minute', async (_when, isHandedOver) => {
  const { key } = await accountWithSandbox(world);
  const receiver = await startReceiver(204);
  const other = await startReceiver(204);
  const unreadable = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  const readable = await registerWebhook(world, other.url, { key, events: ['post.sent'] });
  const [kept] = await world.sql<{ secret: string }>('select secret from webhooks where id = $1', [unreadable.id]);
  // A secret is bound to its webhook.
  await world.sql('update webhooks set secret = (select secret from webhooks where id = $2) where id = $1', [
    unreadable.id,
    readable.id,
  ]);
  const worker = createWebhookDispatcher(world.context);
  onTestFinished(() => worker.close());
  const { postId } = await makePost(world, 'sandbox', { key });
  const lines = world.logged.length;

  await fanOut(world.context, isHandedOver ? worker : undefined);
  await worker.begin();
  await worker.drained();

  expect(other.received.map(({ body }) => body.post.id as string)).toEqual([postId]);
  expect(receiver.received).toEqual([]);
  expect(world.logged.slice(lines).map((line) => JSON.parse(line) as object)).toMatchObject([
    { webhookId: unreadable.id, msg: 'the secret of a webhook cannot be decrypted; its deliveries wait' },
  ]);

  await world.sql('update webhooks set secret = $2 where id = $1', [unreadable.id, kept?.secret]);
  await worker.begin();
  await worker.drained();
  expect(receiver.received).toEqual([]);
  world.clock.advance(60_001);
  await worker.begin();
  await worker.drained();
  expect(receiver.received.map(({ body }) => body.post.id as string)).toEqual([postId]);
});
