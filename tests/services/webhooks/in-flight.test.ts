/**
 * Attempts side by side: a receiver that answers quickly gets up to sixteen deliveries at a time, but those of one post
 * one after another (docs/contract/webhooks.md#order-and-fairness).
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { runRound } from '../../../jobs/run-round.ts';
import { webhookDeliveries } from '../../../jobs/webhook-deliveries.ts';
import { createAttemptWindow } from '../../../services/webhooks/attempt-window.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld, type World } from '../../harness/world.ts';

// No attempt times out within a test: a receiver answers when the test says so.
const world = await startWorld();

const HOUR_MS = 3_600_000;

const round = (of: World) => runRound(of.context, webhookDeliveries, new AbortController().signal);

/** Waits in real time, because the awaited work runs in this process. */
async function until(condition: () => boolean): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBe(true);
}

/** A receiver whose requests wait until the test answers them. */
async function holding() {
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((response) => void held.push(response));
  return {
    receiver,
    held,
    answerAll: (status: number) => held.splice(0).forEach((one) => one.writeHead(status).end()),
  };
}

describe('a receiver that answers quickly', () => {
  it('gets twice as many at a time with each round of answers, sixteen at most, and each once', async () => {
    const { key } = await accountWithSandbox(world);
    const { receiver, held, answerAll } = await holding();
    const webhook = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
    const posts: string[] = [];
    for (let index = 0; index < 70; index += 1) posts.push((await makePost(world, 'sandbox', { key })).postId);
    await round(world);

    const waves = [1, 2, 4, 8, 16, 16, 16, 7];
    for (const wave of waves) {
      await until(() => held.length === wave);
      // What would come in addition is sent at once.
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(held).toHaveLength(wave);
      answerAll(204);
    }

    await world.context.deliveries.drained();
    const arrived = receiver.received.map(({ body }): string => body.post.id);
    expect(arrived.toSorted()).toEqual(posts.toSorted());
    const rows = await world.sql('select status, attempts, claim from deliveries where webhook_id = $1', [webhook.id]);
    expect(rows).toEqual(posts.map(() => ({ status: 'delivered', attempts: 1, claim: null })));
  });

  it('gets the events of one post one after another, in their order', async () => {
    const { key } = await accountWithSandbox(world);
    const { receiver, held, answerAll } = await holding();
    await registerWebhook(world, receiver.url, { key, events: ['post.rescheduled', 'post.sent'] });
    for (let index = 0; index < 3; index += 1) await makePost(world, 'sandbox', { key });
    const at = (hours: number) => new Date(world.clock.now().getTime() + hours * HOUR_MS).toISOString();
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: at(1) });
    for (const hours of [2, 3, 4]) {
      await world.rest(`POST /posts/${postId}/reschedule`, { key, body: { scheduledFor: at(hours) } });
    }
    await round(world);
    const ofPost = () => receiver.received.filter(({ body }) => body.post.id === postId);

    // The three other posts let more than one attempt be in flight.
    for (const [wave, ofThisPost] of [
      [1, 0],
      [2, 0],
      [1, 1],
      [1, 2],
      [1, 3],
    ] as const) {
      await until(() => held.length === wave);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect([held.length, ofPost().length]).toEqual([wave, ofThisPost]);
      answerAll(204);
    }

    await world.context.deliveries.drained();
    expect(ofPost().map(({ body }) => body.post.scheduledFor)).toEqual([at(2), at(3), at(4)]);
  });
});

describe('the attempts in flight at a webhook', () => {
  it('are halved by an answer that takes a second, and one after a failure', () => {
    const window = createAttemptWindow();
    const sizes = [
      ...Array.from({ length: 20 }, () => [true, 100] as const),
      [true, 1_000] as const,
      [true, 4_000] as const,
      [true, 999] as const,
      [false, 10] as const,
      [true, 5_000] as const,
    ].map(([delivered, tookMs]) => {
      window.record(delivered, tookMs);
      return window.size();
    });

    expect(sizes.slice(0, 20)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 16, 16, 16, 16, 16]);
    expect(sizes.slice(20)).toEqual([8, 4, 5, 1, 1]);
  });
});

describe('a worker that stops with sixteen attempts in flight', () => {
  it('stores the outcome of each, and leaves the rest of its claim to others', async () => {
    await using stopping = await startWorld();
    const { receiver, held, answerAll } = await holding();
    await registerWebhook(stopping, receiver.url, { events: ['post.sent'] });
    for (let index = 0; index < 40; index += 1) await makePost(stopping, stopping.sandboxSlug);
    await round(stopping);
    for (const wave of [1, 2, 4, 8, 16]) {
      await until(() => held.length === wave);
      if (wave < 16) answerAll(204);
    }

    const closed = stopping.context.deliveries.close();
    answerAll(204);
    await closed;

    expect(
      await stopping.sql(
        `select status, attempts, claim, count(*)::int as number from deliveries group by 1, 2, 3 order by 1`,
      ),
    ).toEqual([
      { status: 'delivered', attempts: 1, claim: null, number: 31 },
      { status: 'pending', attempts: 0, claim: null, number: 9 },
    ]);
    expect(await stopping.sql('select lease, lease_until from webhooks')).toEqual([{ lease: null, lease_until: null }]);
  });
});

describe('a receiver that hangs', () => {
  it('leaves the worker nothing to look for again: what is due there waits for its answer, not for the worker', async () => {
    await using slow = await startWorld();
    const { receiver, held, answerAll } = await holding();
    await registerWebhook(slow, receiver.url, { events: ['post.sent'] });
    for (let index = 0; index < 3; index += 1) await makePost(slow, slow.sandboxSlug);
    const nextDueAt = async () => (await webhookDeliveries.nextDueAt?.(slow.context)) ?? null;
    const before = await nextDueAt();
    await round(slow);
    await until(() => held.length === 1);

    const whileItHangs = await nextDueAt();
    const closed = slow.context.deliveries.close();
    answerAll(204);
    await closed;

    // The two others wait for the worker again.
    expect([before, whileItHangs, await nextDueAt()]).toEqual([expect.any(Date), null, expect.any(Date)]);
  });
});

describe('a webhook in progress with a long backlog', () => {
  it('does not hide when the next delivery to another webhook is due', async () => {
    await using busy = await startWorld();
    const { receiver, held, answerAll } = await holding();
    const other = await startReceiver(204);
    const [slow, next] = [
      await registerWebhook(busy, receiver.url, { events: ['post.sent'] }),
      await registerWebhook(busy, other.url, { events: ['post.failed'] }),
    ];
    await makePost(busy, busy.sandboxSlug);
    await round(busy);
    await until(() => held.length === 1);
    const now = busy.clock.now().getTime();
    const store = (webhookId: string, count: number, dueAt: Date) =>
      busy.sql(
        `insert into deliveries (id, webhook_id, event, mode, body, created_at, next_attempt_at)
         select gen_random_uuid(), $1, 'post.sent', 'live', '{}', $3, $3 from generate_series(1, $2::int)`,
        [webhookId, count, dueAt],
      );
    await store(slow.id, 500, new Date(now));
    const nextDueAt = async () => (await webhookDeliveries.nextDueAt?.(busy.context)) ?? null;
    const ofBacklog = await nextDueAt();
    await store(next.id, 3, new Date(now + 2 * HOUR_MS));
    await store(next.id, 1, new Date(now + HOUR_MS));

    const ofOther = await nextDueAt();

    expect([ofBacklog, ofOther]).toEqual([null, new Date(now + HOUR_MS)]);
    const closed = busy.context.deliveries.close();
    answerAll(204);
    await closed;
  });
});

describe('on the manual clock', () => {
  it('a receiver that hangs holds up neither time nor other receivers, and gets its delivery again', async () => {
    await using manual = await startWorld({ clock: 'manual' });
    const { receiver: stuck, held, answerAll } = await holding();
    const well = await startReceiver(204);
    const hanging = await registerWebhook(manual, stuck.url, { events: ['post.sent'] });
    await registerWebhook(manual, well.url, { events: ['post.sent'] });
    const at = (hours: number) => new Date(manual.clock.now().getTime() + hours * HOUR_MS).toISOString();
    for (const hours of [1, 2, 3]) await makePost(manual, manual.sandboxSlug, { scheduledFor: at(hours) });

    const moved = await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 4 * 3_600 } });

    expect([moved.status, held.length]).toEqual([200, 1]);
    expect(well.received.map(({ body }) => body.event)).toEqual(['post.sent', 'post.sent', 'post.sent']);
    stuck.answer(204);
    answerAll(204);
    await manual.context.deliveries.drained();
    await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 60 } });
    expect(await deliveriesOf(manual, hanging.id)).toMatchObject(
      [1, 1, 1].map((attempts) => ({ status: 'delivered', attempts })),
    );
  });
});
