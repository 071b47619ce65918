/**
 * Deliveries that fan-out hands to a lease in its process: without being claimed, but in the same order, once, and to the
 * same address as others (docs/contract/webhooks.md#order-and-fairness).
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { v7 } from 'uuid';
import type { Context } from '../../../services/context.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import type { WithReceivers } from '../../../services/webhooks/receivers.ts';
import { createWebhookDispatcher, type WebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { withoutCommitAnswers } from '../../harness/interleave.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

// No attempt times out within a test: a receiver answers when the test says so.
const world = await startWorld();

const HOUR_MS = 3_600_000;

/** Waits in real time, because the awaited work runs in this process. */
async function until(condition: () => unknown): Promise<void> {
  await expect.poll(condition, { interval: 10 }).toBe(true);
}

/** A worker that fans out and delivers. */
function startWorker(context: Context & WithReceivers = world.context): WebhookDispatcher {
  const worker = createWebhookDispatcher(context);
  onTestFinished(() => worker.close());
  return worker;
}

/** A webhook whose receiver holds its requests until the test answers, and a post that can be moved. */
async function holding() {
  const { key, id: accountId } = await accountWithSandbox(world);
  const held: ServerResponse[] = [];
  const receiver = await startReceiver((response) => void held.push(response));
  const webhook = await registerWebhook(world, receiver.url, { key, events: ['post.rescheduled', 'post.sent'] });
  const at = (hours: number) => new Date(world.clock.now().getTime() + hours * HOUR_MS).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: at(1) });
  const reschedule = (hours: number) =>
    world.rest(`POST /posts/${postId}/reschedule`, { key, body: { scheduledFor: at(hours) } });
  const answerAll = (status: number) => held.splice(0).forEach((response) => response.writeHead(status).end());
  /** Answers each request of the receiver from now on, and those that wait. */
  const release = (status: number) => {
    receiver.answer(status);
    answerAll(status);
  };
  const statuses = async () => {
    const rows = await world.sql<{ status: string }>(
      'select status from deliveries where webhook_id = $1 order by id',
      [webhook.id],
    );
    return rows.map(({ status }) => status);
  };
  const times = () => receiver.received.map(({ body }) => body.post.scheduledFor as string);
  return { key, accountId, webhook, receiver, held, reschedule, answerAll, release, statuses, times, at };
}

/** Events as a caller's transaction would have stored them. */
async function happen(accountId: string, count: number, text: string): Promise<string[]> {
  const ids = Array.from({ length: count }, () => v7());
  await world.sql(
    `insert into events (id, account_id, name, mode, subject_id, payload, created_at)
     select id, $1, 'post.sent', 'live', id, $2, $3 from unnest($4::uuid[]) as e(id)`,
    [accountId, JSON.stringify({ post: { text } }), world.clock.now(), ids],
  );
  return ids;
}

async function fanOutAll(worker: WebhookDispatcher): Promise<void> {
  while ((await fanOut(world.context, worker)).events > 0);
}

describe('an event', () => {
  it('is attempted without a claim, also while another is in flight, and its webhook is free afterwards', async () => {
    const { webhook, held, reschedule, release, statuses, times, at } = await holding();
    const worker = startWorker();
    await reschedule(2);
    const first = await fanOut(world.context, worker);
    await until(() => held.length === 1);
    await reschedule(3);

    const second = await fanOut(world.context, worker);

    expect([first, second]).toEqual([
      { events: 1, begun: 1, waiting: 0, left: [] },
      { events: 1, begun: 1, waiting: 0, left: [] },
    ]);
    expect(await statuses()).toEqual(['processing', 'processing']);
    release(204);
    await worker.drained();
    expect([times(), await statuses()]).toEqual([
      [at(2), at(3)],
      ['delivered', 'delivered'],
    ]);
    expect(await world.sql('select lease, lease_until from webhooks where id = $1', [webhook.id])).toEqual([
      { lease: null, lease_until: null },
    ]);
  });

  it('waits behind an earlier event of its post that another worker stored', async () => {
    const { held, reschedule, release, times, at } = await holding();
    const [worker, other] = [startWorker(), startWorker()];
    await reschedule(2);
    await fanOut(world.context, worker);
    await until(() => held.length === 1);
    await reschedule(3);
    await fanOut(world.context, other);
    await reschedule(4);
    await fanOut(world.context, worker);

    release(204);

    await worker.drained();
    expect(times()).toEqual([at(2), at(3), at(4)]);
  });

  it('waits behind a delivery that is due already', async () => {
    const { reschedule, release, times, at } = await holding();
    const worker = startWorker();
    await reschedule(2);
    await fanOut(world.context);
    await reschedule(3);
    release(204);

    const fanned = await fanOut(world.context, worker);

    await worker.begin();
    await worker.drained();
    expect([fanned, times()]).toEqual([{ events: 1, begun: 0, waiting: 1, left: [] }, [at(2), at(3)]]);
  });

  it('goes to the new address of a webhook that was changed while an attempt is in flight', async () => {
    const { key, webhook, receiver, held, reschedule, release, times, at } = await holding();
    const moved = await startReceiver(204);
    const worker = startWorker();
    await reschedule(2);
    await fanOut(world.context, worker);
    await until(() => held.length === 1);
    await world.rest(`PATCH /webhooks/${webhook.id}`, { key, body: { url: moved.url } });
    await reschedule(3);
    await fanOut(world.context, worker);

    release(204);

    await worker.drained();
    await worker.begin();
    await worker.drained();
    expect(times()).toEqual([at(2)]);
    expect(moved.received.map(({ body }) => body.post.scheduledFor as string)).toEqual([at(3)]);
    expect(receiver.connections()).toBe(1);
  });

  it('is claimed when the receiver failed last time, so that one that hangs puts back what it was given', async () => {
    const { held, reschedule, answerAll, statuses } = await holding();
    const worker = startWorker();
    await reschedule(2);
    await fanOut(world.context, worker);
    await until(() => held.length === 1);
    answerAll(500);
    await worker.drained();
    await reschedule(3);

    expect(await fanOut(world.context, worker)).toEqual({ events: 1, begun: 0, waiting: 1, left: [] });

    expect(await statuses()).toEqual(['pending', 'pending']);
  });

  it('waits while this worker has an attempt in flight that another one took over and finished', async () => {
    const { webhook, held, reschedule, release, statuses } = await holding();
    const worker = startWorker();
    await reschedule(2);
    await fanOut(world.context, worker);
    await until(() => held.length === 1);
    await world.sql('update webhooks set lease = null, lease_until = null where id = $1', [webhook.id]);
    await world.sql(`update deliveries set status = 'delivered', claim = null where webhook_id = $1`, [webhook.id]);
    await reschedule(3);

    expect(await fanOut(world.context, worker)).toEqual({ events: 1, begun: 0, waiting: 1, left: [] });

    expect([held.length, (await statuses()).at(-1)]).toEqual([1, 'pending']);
    release(204);
  });

  it('is claimed while the latest answer to the lease is a failure', async () => {
    const { accountId, held, answerAll, release, statuses } = await holding();
    const worker = startWorker();
    await happen(accountId, 2, 'Hello');
    await fanOut(world.context, worker);
    await until(() => held.length === 1);
    answerAll(500);
    await until(() => held.length === 1);
    await happen(accountId, 1, 'Hello');

    expect(await fanOut(world.context, worker)).toEqual({ events: 1, begun: 0, waiting: 1, left: [] });

    expect((await statuses()).at(-1)).toBe('pending');
    release(204);
  });

  it('is claimed five seconds after the lease last checked what is due, so that retries and replays come in between', async () => {
    const { held, reschedule, release, statuses } = await holding();
    let passed = 0;
    const clock = { ...world.clock, elapsed: () => passed };
    const worker = startWorker({ ...world.context, clock });
    const begun: number[] = [];
    for (const [hours, ms] of [
      [2, 0],
      [3, 5_000],
      [4, 5_001],
    ] as const) {
      passed = ms;
      await reschedule(hours);
      begun.push((await fanOut(world.context, worker)).begun);
    }

    await until(() => held.length === 1);
    expect([begun, await statuses()]).toEqual([
      [1, 1, 0],
      ['processing', 'processing', 'pending'],
    ]);
    release(204);
  });
});

describe('many events at once', () => {
  it.each([
    // One of them is in flight.
    ['a thousand deliveries', 1_040, 'Hello', 1_001],
    ['eight million characters', 90, 'x'.repeat(100_000), 79],
  ])('leave no more than %s waiting in memory, and arrive once each', async (_what, count, text, atMost) => {
    const { accountId, receiver, held, release, statuses } = await holding();
    const worker = startWorker();
    const ids = await happen(accountId, count, text);
    await fanOutAll(worker);
    await until(() => held.length === 1);
    const processing = (await statuses()).filter((status) => status === 'processing');

    release(204);

    await worker.drained();
    expect(processing).toHaveLength(atMost);
    expect(await statuses()).toEqual(ids.map(() => 'delivered'));
    expect(new Set(receiver.received.map(({ body }) => body.eventId as string)).size).toBe(count);
    expect(receiver.received).toHaveLength(count);
  });
});

describe('a transaction of deliveries', () => {
  it('whose end is not known is delivered once, and in order, with and without an attempt in flight', async () => {
    const { webhook, held, reschedule, release, statuses, times, at } = await holding();
    const worker = startWorker();
    const lossy = withoutCommitAnswers(world.context);
    const isFree = async () => {
      const [row] = await world.sql<{ lease: string | null }>('select lease from webhooks where id = $1', [webhook.id]);
      return row?.lease === null;
    };
    await reschedule(2);
    await expect(fanOut(lossy, worker)).rejects.toThrow('Connection terminated unexpectedly');
    await until(isFree);
    const afterwards = await statuses();
    await worker.begin();
    await until(() => held.length === 1);
    await reschedule(3);
    await expect(fanOut(lossy, worker)).rejects.toThrow('Connection terminated unexpectedly');
    await reschedule(4);
    await fanOut(world.context, worker);

    release(204);

    await worker.drained();
    await worker.begin();
    await worker.drained();
    expect([afterwards, times(), await statuses()]).toEqual([
      ['pending'],
      [at(2), at(3), at(4)],
      ['delivered', 'delivered', 'delivered'],
    ]);
  });

  it('that takes long shortens the time of the lease that it took: no attempt starts once another worker may take it', async () => {
    const { accountId, receiver, held, release, statuses } = await holding();
    let passed = 0;
    const clock = { ...world.clock, elapsed: () => passed };
    const worker = startWorker({ ...world.context, clock });
    // The ids of the deliveries are generated after the lease was taken.
    const random = { ...world.context.random, uuid: () => ((passed = 20_000), world.context.random.uuid()) };
    await happen(accountId, 2, 'Hello');
    await fanOut({ ...world.context, random }, worker);
    await until(() => held.length === 1);
    passed = 61_000;

    release(204);

    await worker.drained();
    expect([receiver.received.length, await statuses()]).toEqual([1, ['delivered', 'pending']]);
  });

  it('that fails leaves no lease, and its events are delivered by the next one', async () => {
    const { webhook, reschedule, release, times, at } = await holding();
    const worker = startWorker();
    await reschedule(2);
    await world.sql('alter table deliveries rename column mode to gone');
    await expect(fanOut(world.context, worker)).rejects.toThrow('column "mode"');
    await world.sql('alter table deliveries rename column gone to mode');
    const leases = await world.sql('select lease from webhooks where id = $1', [webhook.id]);
    release(204);

    await fanOut(world.context, worker);

    await worker.drained();
    expect([leases, times()]).toEqual([[{ lease: null }], [at(2)]]);
  });
});

describe('a worker that stops', () => {
  it('puts back what it was handed and did not attempt', async () => {
    const { accountId, held, release, statuses } = await holding();
    const worker = startWorker();
    await happen(accountId, 3, 'Hello');
    await fanOut(world.context, worker);
    await until(() => held.length === 1);

    const closed = worker.close();
    release(204);
    await closed;

    expect((await statuses()).toSorted()).toEqual(['delivered', 'pending', 'pending']);
  });
});
