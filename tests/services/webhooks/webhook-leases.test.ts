/** Webhook leases: a receiver that hangs or fails delays only its own deliveries, within its share of capacity. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { v7 } from 'uuid';
import { runRound } from '../../../jobs/run-round.ts';
import { runSql } from '../../../entities/statement.ts';
import { webhookDeliveries } from '../../../jobs/webhook-deliveries.ts';
import { claimMore, claimWebhookLeases, LEASE_BATCH } from '../../../services/webhooks/claim-webhook-leases.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { nextDeliveryAt } from '../../../services/webhooks/next-delivery-at.ts';
import { releaseWebhookLeases } from '../../../services/webhooks/release-webhook-leases.ts';
import { settleDeliveries } from '../../../services/webhooks/settle-deliveries.ts';
import { createWebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { type Answer, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

// No attempt times out within a test: a hanging receiver blocks its attempt until the end.
const world = await startWorld();

const round = () => runRound(world.context, webhookDeliveries, new AbortController().signal);

/** Holds every request until the test releases it. */
function hanging() {
  const held: (() => void)[] = [];
  const answer: Answer = (response) => held.push(() => response.writeHead(500).end());
  return { answer, letGo: () => held.splice(0).forEach((release) => release()) };
}

/** Waits in real time, because the awaited work runs in this process. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1_000 && !condition(); turn += 1) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}

describe('a receiver that hangs', () => {
  it('gets one delivery at a time, and the others get all of theirs in the meantime', async () => {
    const { key } = await accountWithSandbox(world);
    const { answer, letGo } = hanging();
    const [stuck, one, two] = [await startReceiver(answer), await startReceiver(), await startReceiver()];
    for (const { url } of [stuck, one, two]) await registerWebhook(world, url, { key });
    for (let index = 0; index < 40; index += 1) await makePost(world, 'sandbox', { key });

    await round();

    await until(() => one.received.length === 40 && two.received.length === 40);
    expect(stuck.received).toHaveLength(1);
    await makePost(world, 'sandbox', { key });
    await round();
    await until(() => one.received.length === 41 && two.received.length === 41);
    expect(stuck.received).toHaveLength(1);
    stuck.answer(200);
    letGo();
    await world.context.deliveries.drained();
    await world.runDue();
    expect(stuck.received).toHaveLength(41);
  });
});

describe('many receivers that failed and hang', () => {
  it('use only their own capacity, and leave capacity for one that works', async () => {
    const { key } = await accountWithSandbox(world);
    const { answer, letGo } = hanging();
    const stuck = await startReceiver(answer);
    for (let index = 0; index < 60; index += 1) {
      await registerWebhook(world, `${stuck.url}/${index}`, { key, events: ['post.sent'] });
    }
    await world.sql('update webhooks set failing = true where url like $1', [`${stuck.url}/%`]);
    await makePost(world, 'sandbox', { key });

    await round();

    await until(() => stuck.received.length === 50);
    const healthy = await startReceiver();
    const other = await accountWithSandbox(world);
    await registerWebhook(world, healthy.url, { key: other.key });
    await makePost(world, 'sandbox', { key: other.key });
    await round();
    await until(() => healthy.received.length === 1);
    expect(stuck.received).toHaveLength(50);
    letGo();
    await world.context.deliveries.drained();
    stuck.answer(200);
    await world.runDue();
    expect(stuck.received).toHaveLength(60);
  });

  it('alternate between accounts: an account with few is not behind an account with many', async () => {
    const [many, few] = [await accountWithSandbox(world), await accountWithSandbox(world)];
    const { answer, letGo } = hanging();
    const [stuck, other] = [await startReceiver(answer), await startReceiver()];
    for (let index = 0; index < 60; index += 1) {
      await registerWebhook(world, `${stuck.url}/${index}`, { key: many.key, events: ['post.sent'] });
    }
    await makePost(world, 'sandbox', { key: many.key });
    await registerWebhook(world, other.url, { key: few.key });
    await makePost(world, 'sandbox', { key: few.key });
    await world.sql('update webhooks set failing = true');

    await round();

    await until(() => other.received.length === 1);
    letGo();
    stuck.answer(200);
    await world.context.deliveries.drained();
    await world.runDue();
  });
});

describe('a worker without capacity for another claim', () => {
  it('keeps the order of one post, also behind what a worker that died had claimed', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const [other, last] = [hanging(), hanging()];
    const receiver = await startReceiver((response, request) => {
      if (receiver.received.length === LEASE_BATCH) last.answer(response, request);
      else response.writeHead(204).end();
    });
    const { id: webhookId } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
    const others = await startReceiver(other.answer);
    for (let index = 1; index < 100; index += 1) {
      await registerWebhook(world, others.url, { key, events: ['post.failed'] });
    }
    const postId = v7();
    const happen = async (name: string, count: number) => {
      const ids = Array.from({ length: count }, () => v7());
      await world.sql(
        `insert into events (id, account_id, name, mode, subject_id, payload, created_at)
         select id, $1, $2, 'live', $3, jsonb_build_object('id', id), $4 from unnest($5::uuid[]) as e(id)`,
        [accountId, name, postId, world.clock.now(), ids],
      );
      return ids;
    };
    const earlier = await happen('post.sent', LEASE_BATCH + 1);
    await happen('post.failed', 1);
    await fanOut(world.context);
    const byDead = `update deliveries set status = 'processing', claim = $2 where webhook_id = $1`;
    await world.sql(byDead, [webhookId, v7()]);
    const worker = createWebhookDispatcher(world.context);
    onTestFinished(() => worker.close());
    await worker.begin();
    await until(() => receiver.received.length === LEASE_BATCH);
    others.answer(204);
    other.letGo();
    const leases = () => world.sql('select id from webhooks where lease is not null and account_id = $1', [accountId]);
    await expect.poll(leases, { interval: 10 }).toEqual([{ id: webhookId }]);
    const later = await happen('post.sent', 1);

    const fanned = await fanOut(world.context, worker);

    last.letGo();
    await worker.drained();
    await worker.begin();
    await worker.drained();
    expect(fanned).toEqual({ events: 1, begun: 0, waiting: 1, left: [] });
    expect(receiver.received.map(({ body }) => body.id as string)).toEqual([...earlier, ...later]);
  });

  it('leaves the rest of what a worker that died had claimed to be found at once', async () => {
    await using alone = await startWorld();
    await registerWebhook(alone, 'https://127.0.0.1/hook', { events: ['post.sent'] });
    await Promise.all(Array.from({ length: LEASE_BATCH + 1 }, () => makePost(alone, alone.sandboxSlug)));
    await fanOut(alone.context);
    await alone.sql(`update deliveries set status = 'processing', claim = $1`, [v7()]);
    const [taken] = await claimWebhookLeases(alone.context, { healthy: 1, failing: 0, reserved: 0 }, []);
    const { lease, first } = taken!;
    const now = alone.clock.now();
    const outcome = { delivered: true, attemptedAt: now, durationMs: 1, statusCode: 204, error: null };
    await settleDeliveries(
      alone.context,
      first.deliveries.map((delivery) => ({ lease, delivery, outcome })),
    );

    await releaseWebhookLeases(alone.context, [lease]);

    expect(first.deliveries).toHaveLength(LEASE_BATCH);
    expect(await nextDeliveryAt(alone.context)).toEqual(now);
  });
});

describe('a webhook whose url is changed', () => {
  /** A lease of a webhook with one more delivery than a lease claims at a time. */
  async function leased() {
    const world = await startWorld();
    const { id } = await registerWebhook(world, 'https://127.0.0.1/hook', { events: ['post.sent'] });
    await Promise.all(Array.from({ length: LEASE_BATCH + 1 }, () => makePost(world, world.sandboxSlug)));
    await fanOut(world.context);
    const [taken] = await claimWebhookLeases(world.context, { healthy: 1, failing: 0, reserved: 0 }, []);
    const { lease, first } = taken!;
    return { world, id, lease, held: first.deliveries.map((delivery) => delivery.id) };
  }

  it('ends the lease that has its old url, also when the answer to the latest claim was lost', async () => {
    const { world, id, lease, held } = await leased();
    // The process does not get this answer, and claims again.
    expect(await claimMore(world.context, lease, held)).toHaveLength(1);
    await world.rest(`PATCH /webhooks/${id}`, { body: { url: 'https://127.0.0.1/moved' } });

    expect(await claimMore(world.context, lease, held)).toBeNull();

    await releaseWebhookLeases(world.context, [lease]);
    const open = await world.sql(`select 1 from deliveries where status = 'pending' and claim is null`);
    expect(open).toHaveLength(LEASE_BATCH + 1);
  });

  it('is told from one without further deliveries', async () => {
    const { world, lease, held } = await leased();
    const more = await claimMore(world.context, lease, held);

    expect(await claimMore(world.context, lease, [...held, ...(more ?? []).map(({ id }) => id)])).toEqual([]);
  });

  it('gets what waits at its new url as soon as the next claim notices the change', async () => {
    await using moving = await startWorld();
    const { answer, letGo } = hanging();
    const [old, moved] = [await startReceiver(answer), await startReceiver(204)];
    const { id } = await registerWebhook(moving, old.url, { events: ['post.sent'] });
    await Promise.all(Array.from({ length: LEASE_BATCH + 1 }, () => makePost(moving, moving.sandboxSlug)));
    // The outcomes of the first attempts are stored late, so that only the claim can notice the change.
    const stored = Promise.withResolvers<void>();
    const { queries } = moving.context.db;
    const run = async (sql: string, values: readonly unknown[]) => {
      if (sql.includes('attempt_log')) await stored.promise;
      return { rows: await runSql(queries, sql, values) };
    };
    const get = (target: typeof queries, name: string | symbol) => {
      const value: unknown = name === 'run' ? run : Reflect.get(target, name);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    };
    const db = { ...moving.context.db, queries: new Proxy(queries, { get }) };
    const worker = createWebhookDispatcher({ ...moving.context, db });
    await fanOut(moving.context);
    await worker.begin();
    await until(() => old.received.length === 1);
    await moving.rest(`PATCH /webhooks/${id}`, { body: { url: moved.url } });
    old.answer(204);
    letGo();
    await new Promise((resolve) => setTimeout(resolve, 500));
    stored.resolve();
    await worker.drained();
    await worker.begin();
    await worker.drained();
    await worker.close();

    expect(old.received.length).toBeLessThan(LEASE_BATCH);
    expect(old.received.length + moved.received.length).toBe(LEASE_BATCH + 1);
  });
});

describe('a worker that is asked to stop', () => {
  it('finishes the attempt in progress, and leaves the rest of its claim to others', async () => {
    await using stopping = await startWorld();
    const { answer, letGo } = hanging();
    const receiver = await startReceiver(answer);
    await registerWebhook(stopping, receiver.url, { events: ['post.sent'] });
    for (let index = 0; index < 3; index += 1) await makePost(stopping, stopping.sandboxSlug);
    await runRound(stopping.context, webhookDeliveries, new AbortController().signal);
    await until(() => receiver.received.length === 1);

    const closed = stopping.context.deliveries.close();
    letGo();
    await closed;

    expect(await stopping.sql('select status, attempts, claim from deliveries order by id')).toEqual([
      { status: 'pending', attempts: 1, claim: null },
      { status: 'pending', attempts: 0, claim: null },
      { status: 'pending', attempts: 0, claim: null },
    ]);
    expect(await stopping.sql('select lease, lease_until, failing from webhooks')).toEqual([
      { lease: null, lease_until: null, failing: true },
    ]);
    expect(receiver.received).toHaveLength(1);
  });
});
