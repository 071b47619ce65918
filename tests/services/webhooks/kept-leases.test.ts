/**
 * Leases that a round of fan-out keeps between its batches: the next batch needs no claim, and nothing else waits for them
 * (docs/contract/webhooks.md#order-and-fairness).
 */
import { expect, it, onTestFinished } from 'vitest';
import { v7 } from 'uuid';
import { statements } from '../../../entities/statement.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { createWebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** Waits in real time, because the awaited work runs in this process. */
async function until(condition: () => unknown): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBe(true);
}

async function eventsOf(accountId: string, count: number, fannedOutAt: Date | null = null): Promise<string[]> {
  const ids = Array.from({ length: count }, () => v7());
  await world.sql(
    `insert into events (id, account_id, name, mode, subject_id, payload, created_at, fanned_out_at)
     select id, $1, 'post.sent', 'live', id, '{"post":{}}', $2, $3 from unnest($4::uuid[]) as e(id)`,
    [accountId, world.clock.now(), fannedOutAt, ids],
  );
  return ids;
}

/** A worker that keeps its leases, and an account with webhooks that all have one receiver. */
async function keeping(webhooks = 1) {
  const { key, id: accountId } = await accountWithSandbox(world);
  const receiver = await startReceiver(204);
  let webhookId = '';
  for (let registered = 0; registered < webhooks; registered += 1) {
    webhookId = (await registerWebhook(world, receiver.url, { key, events: ['post.sent'] })).id;
  }
  let elapsed = 0;
  const pass = (ms: number) => void (elapsed += ms);
  const worker = createWebhookDispatcher({ ...world.context, clock: { ...world.clock, elapsed: () => elapsed } });
  onTestFinished(() => worker.close());
  const release = worker.keepLeases();
  const delivered = async (): Promise<number> => {
    const [row] = await world.sql<{ count: number }>(
      `select count(*)::int as count from deliveries d join webhooks w on w.id = d.webhook_id
       where w.account_id = $1 and d.status = 'delivered'`,
      [accountId],
    );
    return row?.count ?? 0;
  };
  const leases = async () => {
    const rows = await world.sql<{ lease: string | null }>('select lease from webhooks where account_id = $1', [
      accountId,
    ]);
    return rows.map(({ lease }) => lease);
  };
  /** Fans out one event, and waits until as many deliveries have succeeded. */
  const deliver = async (total: number) => {
    await eventsOf(accountId, 1);
    const fanned = await fanOut(world.context, worker);
    await until(async () => (await delivered()) === total);
    return fanned;
  };
  const patch = (body: object) => world.rest(`PATCH /webhooks/${webhookId}`, { key, body });
  return { accountId, patch, worker, release, leases, deliver, pass };
}

it('a lease without deliveries is kept for the next event, and released at the end of the round', async () => {
  const { worker, release, leases, deliver } = await keeping();
  await deliver(1);
  const [first] = await leases();

  const second = await deliver(2);

  expect([first, second]).toEqual([expect.any(String), { events: 1, begun: 1, waiting: 0, left: [] }]);
  expect(await leases()).toEqual([first]);
  release();
  await worker.drained();
  expect(await leases()).toEqual([null]);
});

it('a worker that has no other lease leaves one that is only kept to another webhook', async () => {
  const { worker, deliver } = await keeping(100);
  await deliver(100);
  await until(() => worker.webhooksInProgress().length < 100);
  const { key, id } = await accountWithSandbox(world);
  const receiver = await startReceiver(204);
  await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  await eventsOf(id, 1);

  const fanned = await fanOut(world.context, worker);

  expect(fanned).toEqual({ events: 1, begun: 1, waiting: 0, left: [] });
  await until(() => receiver.received.length === 1);
});

it('a lease that has not checked what is due for five seconds is not kept', async () => {
  const { worker, leases, deliver, pass } = await keeping();
  await deliver(1);
  pass(5_001);

  await worker.begin();

  await worker.drained();
  expect(await leases()).toEqual([null]);
});

it('a lease that is kept gives the next event to the new address of its webhook at once', async () => {
  const { accountId, patch, worker, deliver } = await keeping();
  await deliver(1);
  const moved = await startReceiver(204);
  expect((await patch({ url: moved.url })).status).toBe(200);
  await eventsOf(accountId, 1);

  const fanned = await fanOut(world.context, worker);

  expect(fanned).toEqual({ events: 1, begun: 0, waiting: 1, left: [] });
  await until(async () => {
    await worker.begin();
    return moved.received.length === 1;
  });
});

it('a worker that stops releases the leases that it keeps', async () => {
  const { worker, leases, deliver } = await keeping();
  await deliver(1);

  await worker.close();

  expect(await leases()).toEqual([null]);
});

it('fan-out reads the new events alone, however many are newer than a webhook', async () => {
  const { accountId } = await keeping();
  await eventsOf(accountId, 12_000, world.clock.now());
  const eventIds = await eventsOf(accountId, 10);
  const { sql = '' } = statements.get('find the webhooks that are subscribed to events') ?? {};

  const plan = await world.sql<{ 'QUERY PLAN': string }>(`explain (analyze, buffers, costs off, timing off) ${sql}`, [
    eventIds,
    world.clock.now(),
  ]);

  const [, pages] = /shared hit=(\d+)/.exec(plan.map((row) => row['QUERY PLAN']).join('\n')) ?? [];
  // Of all events there are more than 300 pages. A plan that finds the webhooks for each event anew reads about 90.
  expect(Number(pages)).toBeLessThan(200);
});
