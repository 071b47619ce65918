/** Delivery attempts: which responses count as delivered, the retry schedule, and the order of deliveries. */
import { describe, expect, it } from 'vitest';
import { runRound } from '../../../jobs/run-round.ts';
import { webhookDeliveries } from '../../../jobs/webhook-deliveries.ts';
import { retention } from '../../../jobs/retention.ts';
import { fanOut } from '../../../services/webhooks/fan-out.ts';
import { createWebhookDispatcher } from '../../../services/webhooks/webhook-dispatcher.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { withResults } from '../../harness/interleave.ts';
import { makePost } from '../../harness/posts.ts';
import { startPeer } from '../../harness/peer.ts';
import { type Answer, deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({
  env: { ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') },
});

const MINUTE = 60_000;

/** An account with one webhook that is subscribed to its posts. */
async function received(how: number | Answer = 200) {
  const { key, id } = await accountWithSandbox(world);
  const receiver = await startReceiver(how);
  const webhook = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  return {
    accountId: id,
    key,
    receiver,
    webhook,
    post: (text = 'Hello') => makePost(world, 'sandbox', { key, text }),
    texts: () => receiver.received.map(({ body }) => body.post.text as string),
    deliveries: () => deliveriesOf(world, webhook.id, key),
  };
}

/** A webhook, and one post that was moved this many times; a claim takes 50 deliveries. `times` are in order. */
async function rescheduled(count: number) {
  const { key } = await accountWithSandbox(world);
  const receiver = await startReceiver();
  const webhook = await registerWebhook(world, receiver.url, { key, events: ['post.rescheduled'] });
  const at = (hours: number) => new Date(world.clock.now().getTime() + hours * 60 * MINUTE).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: at(3) });
  const times = Array.from({ length: count }, (_, index) => at(index + 4));
  for (const [index, scheduledFor] of times.entries()) {
    await world.rest(`POST /posts/${postId}/reschedule`, { key, body: { scheduledFor } });
    // Each key may make 60 requests a minute.
    if (index % 30 === 29) world.clock.advance(MINUTE);
  }
  return { webhook, times, arrived: () => receiver.received.map(({ body }) => body.post.scheduledFor as string) };
}

describe('delivered', () => {
  it.each([200, 201, 202, 204, 299])('is a delivery with the response %i', async (status) => {
    const { post, deliveries } = await received(status);
    await post();

    await world.runDue();

    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1, lastStatusCode: status }]);
  });
});

describe('not delivered', () => {
  it.each([
    [301, 'The receiver answered HTTP 301; redirects are not followed.'],
    [307, 'The receiver answered HTTP 307; redirects are not followed.'],
    [400, 'The receiver answered HTTP 400.'],
    [410, 'The receiver answered HTTP 410.'],
    [429, 'The receiver answered HTTP 429.'],
    [500, 'The receiver answered HTTP 500.'],
  ])('is a delivery with the response %i', async (code, lastError) => {
    const elsewhere = await startReceiver();
    const { post, deliveries } = await received((response) => {
      response.writeHead(code, { location: elsewhere.url }).end('<p>A long story</p>');
    });
    await post();

    await world.runDue();

    expect(await deliveries()).toMatchObject([{ status: 'pending', attempts: 1, lastStatusCode: code, lastError }]);
    expect(elsewhere.received).toEqual([]);
  });

  it('is a delivery without a response', async () => {
    const { key } = await accountWithSandbox(world);
    const { id } = await registerWebhook(world, 'http://127.0.0.1:9/hook', { key });
    await makePost(world, 'sandbox', { key });

    await world.runDue();

    expect(await deliveriesOf(world, id, key)).toMatchObject([
      { status: 'pending', attempts: 1, lastStatusCode: null, lastError: '127.0.0.1 refused the connection.' },
    ]);
  });
});

describe('the schedule', () => {
  it('makes seven attempts, exact to the second, and then stops permanently', async () => {
    const { receiver, post, deliveries } = await received(500);
    await post();
    await world.runDue();
    const start = world.clock.now().getTime();

    const seen: unknown[] = [];
    for (const minutes of [1, 5, 30, 120, 360, 720]) {
      await world.advance(minutes * MINUTE - 1000);
      const early = receiver.received.length;
      await world.advance(1000);
      seen.push([early, receiver.received.length]);
    }

    expect(seen).toEqual([
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 5],
      [5, 6],
      [6, 7],
    ]);
    const died = new Date(start + 1236 * MINUTE).toISOString();
    expect(await deliveries()).toMatchObject([
      { status: 'dead', attempts: 7, deadAt: died, nextAttemptAt: died, lastStatusCode: 500 },
    ]);
    await world.advance(30 * 24 * 60 * MINUTE);
    expect(receiver.received).toHaveLength(7);
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1);
  });

  it('ends with the first success, and signs each attempt again', async () => {
    const { receiver, post, deliveries } = await received(503);
    await post();
    await world.runDue();
    receiver.answer(200);

    await world.advance(MINUTE);

    await world.advance(24 * 60 * MINUTE);
    expect(receiver.received).toHaveLength(2);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2, lastError: null }]);
    const times = receiver.received.map(({ headers }) =>
      Number(/^t=(\d+)/.exec(String(headers['x-service-signature']))?.[1]),
    );
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBe(60);
  });
});

describe('order', () => {
  it('equals the order of the events of one post, also for more events than one claim takes', async () => {
    const { times, arrived } = await rescheduled(60);

    await world.runDue();

    expect(arrived()).toEqual(times);
  });

  it('is not kept across posts, but each of more events than one claim takes arrives once', async () => {
    const { post, texts } = await received();
    const all = Array.from({ length: 120 }, (_, index) => `number ${index}`);
    for (const text of all) await post(text);

    await world.runDue();

    expect(texts().toSorted()).toEqual(all.toSorted());
  });

  it('does not delay later events after a failed one', async () => {
    const { receiver, post, texts } = await received(500);
    await post('one');
    await world.runDue();
    receiver.answer(200);
    await post('two');
    await world.runDue();

    await world.advance(MINUTE);

    expect(texts()).toEqual(['one', 'two', 'one']);
  });
});

describe('a process that dies', () => {
  it('between an event and its deliveries loses nothing: another worker creates them', async () => {
    const { accountId, post, texts } = await received();
    await post('kept');
    const waiting = await world.sql('select name from events where account_id = $1 and fanned_out_at is null', [
      accountId,
    ]);
    expect(waiting).toEqual([{ name: 'post.sent' }]);

    await world.runDue();

    expect(texts()).toEqual(['kept']);
  });

  it('during an attempt leaves it to other workers after its lease has expired', async () => {
    const { receiver, webhook, post, texts, deliveries } = await received();
    await post('held');
    const { lease, until } = {
      lease: world.context.random.uuid(),
      until: new Date(world.clock.now().getTime() + MINUTE),
    };
    receiver.answer(500);
    await world.runDue();
    receiver.answer(200);
    await world.sql('update webhooks set lease = $2, lease_until = $3 where id = $1', [webhook.id, lease, until]);
    await world.sql(`update deliveries set status = 'processing', claim = $2 where webhook_id = $1`, [
      webhook.id,
      lease,
    ]);

    await world.advance(MINUTE - 1);
    const before = texts();
    await world.advance(1);

    expect([before, texts()]).toEqual([['held'], ['held', 'held']]);
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
  });

  it('with more deliveries than one claim takes leaves those of one post in their order', async () => {
    const { webhook, times, arrived } = await rescheduled(60);
    while ((await fanOut(world.context)).events > 0);
    // It had claimed twice.
    const claim = world.context.random.uuid();
    await world.sql('update webhooks set lease = $2, lease_until = $3 where id = $1', [
      webhook.id,
      claim,
      world.clock.now(),
    ]);
    await world.sql(
      `update deliveries set status = 'processing', claim = $2 where id in (
        select id from deliveries where webhook_id = $1 order by next_attempt_at, id limit 55)`,
      [webhook.id, claim],
    );

    await world.runDue();

    expect(arrived()).toEqual(times);
  });

  it('and resumes afterwards does not change the results of other workers', async () => {
    const { receiver, webhook, post, deliveries } = await received();
    let answerFirst = () => undefined as void;
    receiver.answer((response) => {
      if (receiver.received.length > 1) return void response.writeHead(200).end();
      answerFirst = () => void response.writeHead(500).end();
    });
    await post();
    await runRound(world.context, webhookDeliveries, new AbortController().signal);
    await until(() => receiver.received.length === 1);
    await world.sql(`update webhooks set lease_until = $2 where id = $1`, [webhook.id, world.clock.now()]);
    const other = { ...world.context, deliveries: createWebhookDispatcher(world.context) };
    await runRound(other, webhookDeliveries, new AbortController().signal);
    await until(async () => (await deliveries())[0]?.status === 'delivered');

    answerFirst();

    await world.context.deliveries.drained();
    expect(await deliveries()).toMatchObject([{ status: 'delivered', attempts: 1, lastStatusCode: 200 }]);
  });
});

describe('a short database outage', () => {
  it('loses no delivery: an attempt whose result could not be stored is repeated after the lease', async () => {
    const { receiver, post, texts, deliveries } = await received();
    for (const text of ['one', 'two']) await post(text);
    const rename = (from: string, to: string) => world.sql(`alter table deliveries rename column ${from} to ${to}`);
    receiver.answer((response) => {
      const broken = receiver.received.length === 1 ? rename('last_error', 'gone') : Promise.resolve();
      void broken.then(() => response.writeHead(200).end());
    });

    await world.runDue();

    await rename('gone', 'last_error');
    expect(texts()).toEqual(['one', 'two']);
    await world.advance(MINUTE);
    expect(texts()).toEqual(['one', 'two', 'one', 'two']);
    expect(await deliveries()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
  });
});

describe('a claim whose answer is lost', () => {
  it('is repeated, and leaves the deliveries of one post in their order', async () => {
    const { times, arrived } = await rescheduled(120);
    let claims = 0;
    const em = () =>
      withResults(world.db.em(), async ({ result }) => {
        // The second claim is the first one under the lease.
        const isClaim = result.rows.length === 50 && 'webhook_id' in (result.rows[0] ?? {});
        if (isClaim) claims += 1;
        if (isClaim && claims === 2) throw Object.assign(new Error('lost'), { code: '08006' });
        return result;
      });
    const dispatcher = createWebhookDispatcher({ ...world.context, db: { ...world.db, em } });
    while ((await fanOut(world.context)).events > 0);

    await dispatcher.begin();

    await dispatcher.drained();
    expect(arrived()).toEqual(times);
  });
});

describe.skipIf(world.db.engine !== 'postgres')('two concurrent workers', () => {
  it('deliver each event once', async () => {
    const { post, texts } = await received();
    const peer = await startPeer(world);
    const all = Array.from({ length: 80 }, (_, index) => `number ${index}`);
    for (const text of all) await post(text);

    const work = async (context: typeof peer) => {
      for (let round = 0; round < 20; round += 1) {
        await runRound(context, webhookDeliveries, new AbortController().signal);
      }
    };
    await Promise.all([work(world.context), work(peer)]);
    await Promise.all([world.context.deliveries.drained(), peer.deliveries.drained()]);
    await world.runDue();

    expect(texts().toSorted()).toEqual(all.toSorted());
  });
});

describe('retention', () => {
  it('is 30 days for events and deliveries, and for a dead letter 30 days after its last attempt', async () => {
    const day = 24 * 60 * MINUTE;
    const { accountId, receiver, post, deliveries } = await received();
    await post('delivered');
    await world.runDue();
    receiver.answer(500);
    await post('dies');
    await world.runDue();
    for (const minutes of [1, 5, 30, 120, 360, 720]) await world.advance(minutes * MINUTE);
    const statuses = async () => (await deliveries()).map(({ status }) => status);
    const cleanUp = async (ms: number) => {
      world.clock.advance(ms);
      await retention.run(world.context, new AbortController().signal);
      return statuses();
    };
    // Metrics reads in between create later events.
    const events = () =>
      world.sql(`select 1 from events where account_id = $1 and name <> 'post.metrics'`, [accountId]);

    // The dead letter failed for the last time 20 hours and 36 minutes after both were queued.
    expect(await cleanUp(29 * day)).toEqual(['dead', 'delivered']);
    expect(await cleanUp(0.5 * day)).toEqual(['dead']);
    expect(await events()).toEqual([]);
    expect(await cleanUp(0.5 * day + 1)).toEqual([]);
  });
});

/** Waits in real time, because the awaited work runs in this process. */
async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 500; turn += 1) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('it did not come to pass');
}
