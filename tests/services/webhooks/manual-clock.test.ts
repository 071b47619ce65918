/**
 * On the manual clock every attempt runs at its own instant, in due order with all other work
 * (docs/contract/running.md#manual-clock).
 */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ clock: 'manual' });

it('runs a complete chain of attempts in one move', async () => {
  const { key } = await accountWithSandbox(world);
  const receiver = await startReceiver(500);
  const webhook = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  const start = world.clock.now().getTime();
  const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
  await makePost(world, 'sandbox', { key, scheduledFor: at(10) });

  const { body } = await world.rest('POST /simulation/clock', { key, body: { advanceSeconds: 86_400 } });

  // One post, 23 metrics reads an hour apart, and seven attempts: at 10 minutes, and from there 1, 5, 30
  // minutes, 2, 6 and 12 hours on.
  expect(body).toEqual({ now: at(1440), ran: 31 });
  const signedAt = receiver.received.map(({ headers }) => /^t=(\d+)/.exec(String(headers['x-service-signature']))?.[1]);
  expect(signedAt.map((t) => new Date(Number(t) * 1000).toISOString())).toEqual(
    [10, 11, 16, 46, 166, 526, 1246].map(at),
  );
  expect(await deliveriesOf(world, webhook.id, key)).toMatchObject([{ status: 'dead', attempts: 7, deadAt: at(1246) }]);
});
