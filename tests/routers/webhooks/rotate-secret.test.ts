/** POST /webhooks/{webhookId}/rotate-secret: for one day, receivers can verify with either secret. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyWebhook } from '../../../client/index.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { type ReceivedDelivery, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const DAY_MS = 86_400_000;

/** A receiver that verifies only x-service-signature, with the published expression. */
function isSigned({ headers, raw }: ReceivedDelivery, secret: string): boolean {
  const [, t, v1] = /^t=([0-9]+),v1=([0-9a-f]{64})$/.exec(String(headers['x-service-signature'])) ?? [];
  return v1 === createHmac('sha256', secret).update(`${t}.${raw}`).digest('hex');
}

async function rotated() {
  const { key } = await accountWithSandbox(world);
  const receiver = await startReceiver();
  const { secret: older, ...webhook } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  const rotate = async () => world.rest(`POST /webhooks/${webhook.id}/rotate-secret`, { key });
  const { status, body } = await rotate();
  return { key, receiver, webhook, older, newer: body.webhook.secret as string, status, body, rotate };
}

describe('200', () => {
  it('returns the new secret once, and never stores a readable secret', async () => {
    const { key, webhook, older, newer, status, body } = await rotated();

    expect(status).toBe(200);
    const previousSecretUntil = new Date(world.clock.now().getTime() + DAY_MS).toISOString();
    expect(body).toEqual({
      webhook: { ...webhook, secret: expect.stringMatching(/^whsec_[A-Za-z0-9_-]{43}$/) },
      previousSecretUntil,
    });
    expect(newer).not.toBe(older);
    expect((await world.rest('GET /webhooks', { key })).body.webhooks).toEqual([webhook]);
    const [row] = await world.sql<{ secret: string; previous_secret: string }>(
      'select secret, previous_secret from webhooks where id = $1',
      [webhook.id],
    );
    expect(`${row?.secret} ${row?.previous_secret}`).not.toMatch(new RegExp(`${older.slice(6)}|${newer.slice(6)}`));
  });
});

describe('for a day after it', () => {
  it('a delivery is signed with both secrets, and the client accepts it with either', async () => {
    const { key, receiver, older, newer } = await rotated();
    await makePost(world, 'sandbox', { key });
    await world.advance(DAY_MS - 1);

    const [delivery] = receiver.received;
    const { raw = '', headers = {}, body } = delivery ?? {};
    const now = world.clock.now();

    const form = expect.stringMatching(/^t=[0-9]+,v1=[0-9a-f]{64}$/);
    expect(headers).toMatchObject({ 'x-service-signature': form, 'x-service-signature-alternate': form });
    for (const secret of [older, newer, [newer, older], ['whsec_other', older]]) {
      expect(await verifyWebhook(raw, headers, secret, { now })).toEqual(body);
    }
    await expect(verifyWebhook(raw, headers, ['whsec_other'], { now })).rejects.toThrow('does not match');
  });

  it('x-service-signature alternates: the first attempt has the older secret, the next the newer', async () => {
    const { key, receiver, older, newer } = await rotated();
    receiver.answer(401);
    await makePost(world, 'sandbox', { key });
    await world.runDue();
    await world.advance(60_000);
    await world.advance(300_000);

    const seen = receiver.received.map((delivery) => [isSigned(delivery, older), isSigned(delivery, newer)]);

    expect(seen).toEqual([
      [true, false],
      [false, true],
      [true, false],
    ]);
  });
});

describe('a day later', () => {
  it('only the new secret signs, in a single header, and the older one is deleted', async () => {
    const { key, receiver, webhook, newer } = await rotated();
    await world.advance(DAY_MS);

    await makePost(world, 'sandbox', { key });
    await world.runDue();
    await world.housekeep();

    const [delivery] = receiver.received;
    expect(delivery && isSigned(delivery, newer)).toBe(true);
    expect(Object.keys(delivery?.headers ?? {})).not.toContain('x-service-signature-alternate');
    const row = await world.sql('select previous_secret, previous_secret_until from webhooks where id = $1', [
      webhook.id,
    ]);
    expect(row).toEqual([{ previous_secret: null, previous_secret_until: null }]);
  });
});

it('a second rotation within the day ends the oldest secret immediately', async () => {
  const { key, receiver, older, newer, rotate } = await rotated();
  const newest = (await rotate()).body.webhook.secret as string;
  await makePost(world, 'sandbox', { key });
  await world.runDue();

  const [{ raw, headers } = { raw: '', headers: {} }] = receiver.received;
  const now = world.clock.now();

  await expect(verifyWebhook(raw, headers, older, { now })).rejects.toThrow('does not match');
  for (const secret of [newer, newest]) expect(await verifyWebhook(raw, headers, secret, { now })).toBeDefined();
});

it('404 for an unknown webhook', async () => {
  expect(await world.rest(`POST /webhooks/${UNKNOWN_ID}/rotate-secret`)).toMatchObject({
    status: 404,
    body: refusal('not_found', `No webhook of yours has the id ${UNKNOWN_ID}.`),
  });
});
