/** PATCH /webhooks/{webhookId} changes URL, events and label. Deliveries wait while a webhook is disabled. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

async function subscribed(how = 200) {
  const { key } = await accountWithSandbox(world);
  const receiver = await startReceiver(how);
  const { secret, ...webhook } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  return {
    key,
    receiver,
    secret,
    webhook,
    change: (body: unknown) => world.rest(`PATCH /webhooks/${webhook.id}`, { key, body }),
    post: (text: string) => makePost(world, 'sandbox', { key, text }),
    texts: () => receiver.received.map(({ body }) => body.post.text as string),
    /** Makes a change during the first delivery. Each response waits until the delivery before it is settled. */
    changeMeanwhile: (body: unknown) =>
      receiver.answer((response) => {
        const posted = receiver.received.length;
        const change = { key, body };
        const ready =
          posted === 1 ? world.rest(`PATCH /webhooks/${webhook.id}`, change) : hasDelivered(webhook.id, posted - 1);
        void ready.then(() => response.writeHead(200).end());
      }),
  };
}

async function hasDelivered(webhookId: string, count: number): Promise<void> {
  const sql = `select 1 from deliveries where webhook_id = $1 and status = 'delivered'`;
  await expect.poll(async () => (await world.sql(sql, [webhookId])).length).toBeGreaterThanOrEqual(count);
}

describe('200', () => {
  it('changes only the fields that are sent, and returns the webhook without its secret', async () => {
    const { key, webhook, change } = await subscribed();

    const first = await change({ url: 'http://127.0.0.1:9/new', description: 'Bells' });
    const second = await change({ events: ['post.failed', 'webhook.disabled', 'post.failed'] });
    const third = await change({ description: null });

    const renamed = { ...webhook, url: 'http://127.0.0.1:9/new', description: 'Bells' };
    expect([first.status, first.body]).toEqual([200, { webhook: renamed }]);
    const narrowed = { ...renamed, events: ['post.failed', 'webhook.disabled'] };
    expect(second.body).toEqual({ webhook: narrowed });
    expect(third.body).toEqual({ webhook: { ...narrowed, description: null } });
    expect((await world.rest('GET /webhooks', { key })).body.webhooks).toEqual([{ ...narrowed, description: null }]);
  });

  it('sends pending deliveries to the new URL, with the same secret', async () => {
    const { receiver, change, post, texts } = await subscribed(500);
    const moved = await startReceiver();
    await post('waits');
    await world.runDue();

    await change({ url: moved.url });
    await world.advance(60_000);

    expect(texts()).toEqual(['waits']);
    expect(moved.received.map(({ raw }) => raw)).toEqual(receiver.received.map(({ raw }) => raw));
  });

  it('applies to a batch in progress: its remaining deliveries go to the new URL', async () => {
    const { changeMeanwhile, post, texts } = await subscribed();
    const moved = await startReceiver();
    for (let index = 0; index < 20; index += 1) await post(`number ${index}`);
    changeMeanwhile({ url: moved.url });

    await world.runDue();

    expect(texts().length).toBeLessThan(5);
    const all = [...texts(), ...moved.received.map(({ body }): string => body.post.text)];
    expect(all.toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `number ${index}`).toSorted());
  });
});

describe('enabled', () => {
  it('false keeps pending deliveries and stores no new ones; true resumes them', async () => {
    const { key, webhook, receiver, change, post, texts } = await subscribed(500);
    await post('waits');
    await world.runDue();
    const disabledAt = world.clock.now().toISOString();

    const off = await change({ enabled: false });

    expect(off.body.webhook).toEqual({ ...webhook, enabled: false, disabledAt, disabledReason: 'requested' });
    await post('is not stored');
    await world.advance(3_600_000);
    expect(texts()).toEqual(['waits']);
    expect(await deliveriesOf(world, webhook.id, key)).toMatchObject([{ status: 'pending', attempts: 1 }]);
    expect((await change({ enabled: false })).body).toEqual(off.body);

    receiver.answer(200);
    const on = await change({ enabled: true });

    expect(on.body.webhook).toEqual(webhook);
    await post('comes');
    await world.runDue();
    expect(texts()).toEqual(['waits', 'waits', 'comes']);
    expect(await world.sql('select paused from deliveries where paused')).toEqual([]);
  });

  it('false ends a batch in progress', async () => {
    const { receiver, change, changeMeanwhile, post, texts } = await subscribed();
    for (let index = 0; index < 20; index += 1) await post(`number ${index}`);
    changeMeanwhile({ enabled: false });

    await world.runDue();

    expect(texts().length).toBeLessThan(5);
    receiver.answer(200);
    await change({ enabled: true });
    await world.runDue();
    expect(texts().toSorted()).toEqual(Array.from({ length: 20 }, (_, index) => `number ${index}`).toSorted());
  });

  it('false refuses tests and replays', async () => {
    const { key, webhook, change, post } = await subscribed();
    await post('delivered');
    await world.runDue();
    const [delivery] = await deliveriesOf(world, webhook.id, key);
    await change({ enabled: false });

    const test = await world.rest(`POST /webhooks/${webhook.id}/test`, { key });
    const replay = await world.rest(`POST /webhooks/${webhook.id}/deliveries/${delivery?.id}/replay`, { key });

    const message = `The webhook ${webhook.id} is disabled, so nothing is delivered to it. Enable it with PATCH and "enabled": true first.`;
    for (const { status, body } of [test, replay]) {
      expect([status, body]).toEqual([400, refusal('invalid_request', message)]);
    }
  });

  it('false keeps deliveries as long as other deliveries: 30 days', async () => {
    const { key, webhook, change, post } = await subscribed(500);
    await post('waits');
    await world.runDue();
    await change({ enabled: false });

    await world.advance(30 * 86_400_000 + 1);
    await world.housekeep();

    expect(await deliveriesOf(world, webhook.id, key)).toEqual([]);
  });
});

describe('a delivery that died while its webhook was disabled', () => {
  it('is kept for 30 days from the day it died', async () => {
    const { key, webhook, receiver, change, post } = await subscribed(500);
    await post('dies');
    await world.runDue();
    for (const minutes of [1, 5, 30, 120, 360]) await world.advance(minutes * 60_000);
    // During the seventh attempt.
    receiver.answer((response) => void change({ enabled: false }).then(() => response.writeHead(500).end()));
    await world.advance(720 * 60_000);
    const [dead] = await deliveriesOf(world, webhook.id, key);
    const keptUntil = Date.parse(dead?.deadAt ?? '') + 30 * 86_400_000;
    const left = async (at: number) => {
      world.clock.set(new Date(at));
      await world.housekeep();
      return deliveriesOf(world, webhook.id, key);
    };

    expect(dead).toMatchObject({ status: 'dead', attempts: 7 });
    expect(await left(keptUntil)).toEqual([dead]);
    expect(await left(keptUntil + 1)).toEqual([]);
  });
});

describe('400 and 404', () => {
  it.each([
    ['nothing', {}, 'body: name at least one of url, events, description, enabled.'],
    ['an address inside', { url: 'https://10.0.0.1/hook' }, /^url: 10\.0\.0\.1 is not a public address/],
    ['no address', { url: 'hook' }, 'url: expected an address such as https://app.example/webhooks.'],
    ['no events', { events: [] }, /^events/],
    ['an event that does not exist', { events: ['post.read'] }, /^events/],
    ['null for what has none', { events: null }, /^events/],
    ['an empty label', { description: '' }, /^description/],
    ['a label with NUL', { description: 'a\u0000b' }, /^description/],
    ['a label that is too long', { description: 'a'.repeat(201) }, /^description/],
    ['a misspelt field', { enable: true }, /enable/],
  ])('refuses %s', async (_case, body, message) => {
    const { status, body: answer } = await (await subscribed()).change(body);

    expect(status).toBe(400);
    expect(answer).toMatchObject({
      error: 'invalid_request',
      message: typeof message === 'string' ? message : expect.stringMatching(message),
    });
  });

  it('404 for an unknown webhook', async () => {
    expect(await world.rest(`PATCH /webhooks/${UNKNOWN_ID}`, { body: { enabled: true } })).toMatchObject({
      status: 404,
      body: refusal('not_found', `No webhook of yours has the id ${UNKNOWN_ID}.`),
    });
  });
});
