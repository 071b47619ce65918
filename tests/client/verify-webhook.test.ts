/** verifyWebhook accepts what the service itself posts, and rejects all else. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from '../../client/index.ts';
import { sign } from '../../services/webhooks/sign.ts';
import { registerWebhook, startReceiver } from '../harness/receiver.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';

const SECRET = 'whsec_secret';
const EVENT = { eventId: '1', event: 'post.sent', timestamp: START.toISOString(), post: { text: 'Glöckchen 🔔' } };
const BODY = JSON.stringify(EVENT);

const signed = (body = BODY, secret = SECRET) => ({ 'x-service-signature': sign(body, secret, START) });
const later = (seconds: number) => ({ now: new Date(START.getTime() + seconds * 1000) });

it('accepts what the service posts', async () => {
  const world = await startWorld();
  const receiver = await startReceiver();
  const webhook = await registerWebhook(world, receiver.url);
  await world.rest(`POST /webhooks/${webhook.id}/test`);
  await world.runDue();
  const [delivery] = receiver.received;

  const event = await verifyWebhook(delivery?.raw ?? '', delivery?.headers ?? {}, webhook.secret, { now: START });

  expect(event).toEqual(delivery?.body);
  expect(event).toMatchObject({ event: 'post.sent', test: true });
});

describe('accepts', () => {
  it.each([
    ['a body of text', BODY, signed()],
    ['a body of bytes', Buffer.from(BODY), signed()],
    ['the Headers of the web', BODY, new Headers(signed())],
  ])('%s', async (_case, body, headers) => {
    expect(await verifyWebhook(body, headers, SECRET, later(0))).toEqual(EVENT);
  });

  it.each([-300, 300])('a clock that is %i seconds away', async (seconds) => {
    expect(await verifyWebhook(BODY, signed(), SECRET, later(seconds))).toEqual(EVENT);
  });

  it('a custom tolerance', async () => {
    expect(await verifyWebhook(BODY, signed(), SECRET, { ...later(3_600), toleranceSeconds: 3_600 })).toEqual(EVENT);
  });
});

describe('refuses', () => {
  const other = (header: string) => ({ 'x-service-signature': header });
  const foreign = 'The signature does not match: the secret is wrong, or the body was parsed or changed.';
  const malformed = 'x-service-signature is not of the form t=<seconds>,v1=<hex>.';
  const good = signed()['x-service-signature'];

  it.each([
    ['no signature', BODY, {}, 'The request has no header x-service-signature.'],
    ['two signatures', BODY, { 'x-service-signature': [good, good] }, 'The request has no header x-service-signature.'],
    ['something else', BODY, other('sha256=abc'), malformed],
    ['a signature cut short', BODY, other(good.slice(0, -1)), malformed],
    ['another secret', BODY, signed(BODY, 'whsec_other'), foreign],
    ['another body', `${BODY} `, signed(), foreign],
    ['another time', BODY, other(good.replace('t=1', 't=2')), foreign],
    [
      'a signature of the body alone',
      BODY,
      other(`t=1,v1=${createHmac('sha256', SECRET).update(BODY).digest('hex')}`),
      foreign,
    ],
  ])('%s', async (_case, body, headers, message) => {
    const verified = verifyWebhook(body, headers, SECRET, later(0));

    await expect(verified).rejects.toThrow(new WebhookVerificationError(message));
  });

  it.each([-301, 301])('a signature from a clock %i seconds away, which may be a replay', async (seconds) => {
    const verified = verifyWebhook(BODY, signed(), SECRET, later(seconds));

    await expect(verified).rejects.toThrow(
      new WebhookVerificationError('The signature is 301 s away from this clock; the tolerance is 300 s.'),
    );
  });

  it('an old signature, by the clock of the machine', async () => {
    await expect(
      verifyWebhook(BODY, { 'x-service-signature': sign(BODY, SECRET, new Date(0)) }, SECRET),
    ).rejects.toThrow(/s away from this clock/);
  });
});
