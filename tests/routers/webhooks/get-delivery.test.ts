/** GET /webhooks/{webhookId}/deliveries/{deliveryId}: the body of a delivery and its attempts. */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { refusal, UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const { key } = await accountWithSandbox(world);

// eslint-disable-next-line typescript/no-explicit-any -- tests compare whole bodies and read known fields
type Answer = any;

const read = (webhookId: string, deliveryId: string, by = key) =>
  world.rest(`GET /webhooks/${webhookId}/deliveries/${deliveryId}`, { key: by });

/** A webhook with one delivery that is not attempted yet. */
async function webhookWithDelivery(status: number) {
  const receiver = await startReceiver(status);
  const { id: webhookId, secret } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  await makePost(world, 'sandbox', { key, text: 'Delivered <b>text</b>' });
  await world.runDue();
  const [delivery] = await deliveriesOf(world, webhookId, key);
  return { receiver, webhookId, secret, deliveryId: delivery?.id ?? '' };
}

const attempt = (number: number, attemptedAt: string, statusCode: number) => ({
  attempt: number,
  attemptedAt,
  durationMs: expect.any(Number),
  statusCode,
  error: statusCode < 300 ? null : `The receiver answered HTTP ${statusCode}.`,
});

describe('200', () => {
  it('returns the exact body that the receiver got, and every attempt', async () => {
    const { receiver, webhookId, deliveryId } = await webhookWithDelivery(500);
    const first = world.clock.now();
    receiver.answer(204);
    await world.advance(60_000);

    const { status, body } = await read(webhookId, deliveryId);

    const second = new Date(first.getTime() + 60_000).toISOString();
    expect(status).toBe(200);
    expect(body).toEqual({
      delivery: {
        id: deliveryId,
        eventId: deliveryId,
        webhookId,
        event: 'post.sent',
        mode: 'live',
        status: 'delivered',
        attempts: 2,
        createdAt: first.toISOString(),
        nextAttemptAt: second,
        deliveredAt: second,
        deadAt: null,
        lastStatusCode: 204,
        lastError: null,
        body: receiver.received[0]?.raw,
        attemptLog: [attempt(1, first.toISOString(), 500), attempt(2, second, 204)],
      },
    });
    expect(receiver.received.map(({ raw }) => raw)).toEqual([body.delivery.body, body.delivery.body]);
  });

  it('shows neither the secret nor a signature', async () => {
    const { receiver, webhookId, secret, deliveryId } = await webhookWithDelivery(200);

    const answer = JSON.stringify((await read(webhookId, deliveryId)).body);

    const signature = String(receiver.received[0]?.headers['x-service-signature']).split('v1=')[1] ?? '';
    expect(signature).toHaveLength(64);
    expect(answer).not.toContain(signature);
    expect(answer).not.toContain(secret);
  });

  it('keeps the attempts from before a replay, 20 in all', async () => {
    const { receiver, webhookId, deliveryId } = await webhookWithDelivery(200);
    const answers = Array.from({ length: 21 }, (_, index) => 201 + index);
    for (const answer of answers) {
      receiver.answer(answer);
      await world.rest(`POST /webhooks/${webhookId}/deliveries/${deliveryId}/replay`, { key });
      await world.runDue();
    }

    const { delivery } = (await read(webhookId, deliveryId)).body;

    expect(delivery.attempts).toBe(1);
    const logged = delivery.attemptLog.map(({ attempt: number, statusCode }: Answer) => [number, statusCode]);
    expect(logged).toEqual(answers.slice(-20).map((answer) => [1, answer]));
  });

  it('says why a receiver could not be reached', async () => {
    const { receiver, webhookId } = await webhookWithDelivery(200);
    receiver.answer((response) => response.destroy());
    await world.rest(`POST /webhooks/${webhookId}/test`, { key });
    await world.runDue();
    const [{ id } = { id: '' }] = await deliveriesOf(world, webhookId, key);

    const { delivery } = (await read(webhookId, id)).body;

    expect(JSON.parse(delivery.body)).toMatchObject({ eventId: id, event: 'post.sent', test: true });
    expect(delivery.attemptLog).toEqual([
      {
        ...attempt(1, world.clock.now().toISOString(), 500),
        statusCode: null,
        error: 'The receiver closed the connection without an answer.',
      },
    ]);
  });

  it('returns the body of a delivery that waits for its first attempt', async () => {
    const { webhookId } = await webhookWithDelivery(200);
    const queued = (await world.rest(`POST /webhooks/${webhookId}/test`, { key })).body.delivery;

    const { delivery } = (await read(webhookId, queued.id)).body;

    expect(delivery).toMatchObject({ ...queued, webhookId, attemptLog: [] });
    expect(JSON.parse(delivery.body)).toMatchObject({ eventId: queued.id });
  });
});

describe('404 not_found', () => {
  it('is the answer for an unknown webhook, an unknown delivery and a delivery of another webhook', async () => {
    const [{ webhookId, deliveryId }, other] = [await webhookWithDelivery(200), await webhookWithDelivery(200)];

    expect((await read(UNKNOWN_ID, deliveryId)).body).toEqual(
      refusal('not_found', `No webhook of yours has the id ${UNKNOWN_ID}.`),
    );
    for (const id of [UNKNOWN_ID, other.deliveryId]) {
      const { status, body } = await read(webhookId, id);
      expect(status).toBe(404);
      expect(body).toEqual(refusal('not_found', `No delivery of this webhook has the id ${id}.`));
    }
  });

  it('is the answer to a key of another account', async () => {
    const { webhookId, deliveryId } = await webhookWithDelivery(200);
    const { key: foreign } = await accountWithSandbox(world);

    expect((await read(webhookId, deliveryId, foreign)).status).toBe(404);
    expect(deliveryId).toEqual(UUID);
  });
});
