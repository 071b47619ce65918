/** POST /webhooks/{webhookId}/deliveries/{deliveryId}/replay and POST /webhooks/{webhookId}/test. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld, type World } from '../../harness/world.ts';

const world = await startWorld();
const { key } = await accountWithSandbox(world);

/** A webhook that received one event and answered it with this status. */
async function posted(status: number) {
  const receiver = await startReceiver(status);
  const webhook = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  await makePost(world, 'sandbox', { key });
  await world.runDue();
  const [delivery] = await deliveriesOf(world, webhook.id, key);
  if (delivery === undefined) throw new Error('nothing was delivered');
  const replay = () => world.rest(`POST /webhooks/${webhook.id}/deliveries/${delivery.id}/replay`, { key });
  return { receiver, webhook, delivery, replay };
}

/** Advances the clock until all attempts are due. */
async function letDie(of: World): Promise<void> {
  for (const minutes of [1, 5, 30, 120, 360, 720]) await of.advance(minutes * 60_000);
}

describe('replay 200', () => {
  it('sends a delivered event again, byte for byte, under the same id', async () => {
    const { receiver, delivery, replay } = await posted(200);
    world.clock.advance(10_000);

    const { status, body } = await replay();

    expect(status).toBe(200);
    expect(body).toEqual({
      delivery: {
        ...delivery,
        status: 'pending',
        attempts: 0,
        nextAttemptAt: world.clock.now().toISOString(),
        deliveredAt: null,
        deadAt: null,
        lastStatusCode: null,
        lastError: null,
      },
    });
    await world.runDue();
    const [first, second] = receiver.received;
    expect(second?.raw).toBe(first?.raw);
    expect(second?.headers['x-service-event-id']).toBe(first?.headers['x-service-event-id']);
    expect(second?.headers['x-service-signature']).not.toBe(first?.headers['x-service-signature']);
  });

  it('gives a dead letter seven new attempts', async () => {
    const { receiver, webhook, replay } = await posted(500);
    await letDie(world);
    expect(await deliveriesOf(world, webhook.id, key)).toMatchObject([{ status: 'dead', attempts: 7 }]);

    const { body } = await replay();

    expect(body.delivery).toMatchObject({ status: 'pending', attempts: 0, deadAt: null });
    await world.runDue();
    await letDie(world);
    expect(receiver.received).toHaveLength(14);
    expect(new Set(receiver.received.map(({ raw }) => raw)).size).toBe(1);
    expect(await deliveriesOf(world, webhook.id, key)).toMatchObject([{ status: 'dead', attempts: 7 }]);
  });

  it('sends once for many concurrent requests', async () => {
    const { receiver, replay } = await posted(200);

    const answers = await Promise.all([replay(), replay(), replay()]);

    await world.runDue();
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(2);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('replay 400 and 404', () => {
  it('refuses a pending delivery', async () => {
    const { replay } = await posted(500);

    const { status, body } = await replay();

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal(
        'invalid_request',
        'This delivery is pending; only a delivered, failed or dead delivery can be replayed.',
      ),
    );
  });

  it('refuses a delivery that is in progress', async () => {
    const { delivery, replay } = await posted(500);
    await world.sql(`update deliveries set status = 'processing' where id = $1`, [delivery.id]);

    const { status, body } = await replay();

    expect(status).toBe(400);
    expect(body.message).toBe(
      'This delivery is processing; only a delivered, failed or dead delivery can be replayed.',
    );
  });

  it('finds only the deliveries of the webhook in the path', async () => {
    const [one, other] = [await posted(200), await posted(200)];

    for (const deliveryId of [other.delivery.id, UNKNOWN_ID]) {
      const answer = await world.rest(`POST /webhooks/${one.webhook.id}/deliveries/${deliveryId}/replay`, { key });

      expect(answer).toMatchObject({
        status: 404,
        body: refusal('not_found', `No delivery of this webhook has the id ${deliveryId}.`),
      });
    }
  });
});

describe('test 200', () => {
  it('queues an example post, marked as a test, regardless of the subscribed events', async () => {
    const receiver = await startReceiver();
    const webhook = await registerWebhook(world, receiver.url, { key, events: ['connection.removed'] });
    const now = world.clock.now().toISOString();

    const { status, body } = await world.rest(`POST /webhooks/${webhook.id}/test`, { key });

    expect(status).toBe(200);
    const { id } = body.delivery;
    expect(body).toEqual({
      delivery: {
        id: UUID,
        eventId: id,
        event: 'post.sent',
        status: 'pending',
        attempts: 0,
        createdAt: now,
        nextAttemptAt: now,
        deliveredAt: null,
        deadAt: null,
        lastStatusCode: null,
        lastError: null,
      },
    });
    await world.runDue();
    expect(receiver.received.map((delivery) => delivery.body)).toEqual([
      {
        eventId: id,
        event: 'post.sent',
        timestamp: now,
        test: true,
        post: {
          id: '00000000-0000-7000-8000-000000000000',
          connectionSlug: 'sandbox',
          text: 'This is a test of your webhook. It is not a real post.',
          status: 'sent',
          url: 'https://example.com/posts/1',
          scheduledFor: null,
          createdAt: '2026-01-01T00:00:00.000Z',
          mediaCount: 0,
          threadCount: 0,
          hasFirstComment: false,
          error: null,
          tags: ['test'],
          profileId: null,
        },
      },
    ]);
  });

  it('has the mode of the key that requested it', async () => {
    const receiver = await startReceiver();
    const webhook = await registerWebhook(world, receiver.url, { key: world.testKey });

    for (const asking of [world.testKey, world.liveKey]) {
      await world.rest(`POST /webhooks/${webhook.id}/test`, { key: asking });
    }

    await world.runDue();
    expect(receiver.received.map(({ headers }) => headers['x-service-mode'])).toEqual(['test', 'live']);
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a webhook that is disabled during the request', () => {
  it.each(['replay', 'test'] as const)('is named in the answer of %s, and gets nothing', async (what) => {
    const { webhook, delivery } = await posted(200);
    const path = what === 'test' ? 'test' : (`deliveries/${delivery.id}/replay` as const);
    const held = await holdRows(world, 'lock table deliveries in share mode');
    const asked = world.rest(`POST /webhooks/${webhook.id}/${path}`, { key });
    await held.waiting(1, asked);
    await world.sql(`update webhooks set disabled_at = $2, disabled_reason = 'requested' where id = $1`, [
      webhook.id,
      world.clock.now(),
    ]);
    await held.release();

    const { status, body } = await asked;

    const message = `The webhook ${webhook.id} is disabled, so nothing is delivered to it. Enable it with PATCH and "enabled": true first.`;
    expect([status, body]).toEqual([400, refusal('invalid_request', message)]);
    expect(await deliveriesOf(world, webhook.id, key)).toEqual([delivery]);
  });
});
