/** A round of the loop that fans out events and delivers them. */
import { expect, it, onTestFinished } from 'vitest';
import { v7 } from 'uuid';
import { webhookDeliveries } from '../../jobs/webhook-deliveries.ts';
import { createWebhookDispatcher } from '../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { registerWebhook, startReceiver } from '../harness/receiver.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

async function happen(accountId: string, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => v7());
  await world.sql(
    `insert into events (id, account_id, name, mode, subject_id, payload, created_at)
     select id, $1, 'post.sent', 'live', id, '{"post":{}}', $2 from unnest($3::uuid[]) as e(id)`,
    [accountId, world.clock.now(), ids],
  );
  return ids;
}

it('fans out a few events of a burst first, so that their deliveries start soon, and all of them once', async () => {
  const { key, id: accountId } = await accountWithSandbox(world);
  const receiver = await startReceiver(204);
  await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  const ids = await happen(accountId, 300);
  const deliveries = createWebhookDispatcher(world.context);
  onTestFinished(() => deliveries.close());
  // Each batch is marked with its own time.
  let reads = 0;
  const clock = { ...world.clock, now: () => new Date(world.clock.now().getTime() + (reads += 1)) };

  const begun = await webhookDeliveries.run({ ...world.context, clock, deliveries }, new AbortController().signal);

  await deliveries.drained();
  const batches = await world.sql<{ events: number }>(
    'select count(*)::int as events from events where id = any($1) group by fanned_out_at order by fanned_out_at',
    [ids],
  );
  expect(begun).toBe(300);
  expect(batches.map(({ events }) => events)).toEqual([25, 50, 100, 125]);
  expect(new Set(receiver.received.map(({ body }) => body.eventId as string)).size).toBe(300);
  expect(receiver.received).toHaveLength(300);
});

it('ends within half a minute also while events keep coming, so that /health and failing webhooks do not wait', async () => {
  const { key, id: accountId } = await accountWithSandbox(world);
  const receiver = await startReceiver(204);
  await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  await happen(accountId, 1);
  const dispatcher = createWebhookDispatcher(world.context);
  onTestFinished(() => dispatcher.close());
  let elapsed = 0;
  const clock = { ...world.clock, elapsed: () => elapsed };
  const tooLong = new AbortController();
  // Each batch takes a second, and the next event happens meanwhile.
  const direct = () => {
    elapsed += 1_000;
    return dispatcher.direct();
  };
  const begin = async () => {
    if (elapsed > 60_000) tooLong.abort();
    await happen(accountId, 1);
    return dispatcher.begin();
  };

  const context = { ...world.context, clock, deliveries: { ...dispatcher, direct, begin } };
  const begun = await webhookDeliveries.run(context, tooLong.signal);

  expect(begun).toBeGreaterThan(0);
  expect(tooLong.signal.aborted).toBe(false);
});
