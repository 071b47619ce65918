/**
 * A webhook is disabled after three days in which every attempt failed, and its owner is notified
 * (docs/contract/webhooks.md#turned-off-after-failures).
 */
import { afterAll, describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UUID } from '../../harness/expected.ts';
import { EMAIL, OWNER_ENV, signedInBrowser } from '../../harness/owner.ts';
import { deliveriesOf, registerWebhook, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';
import { MAILBOX, startFakeMail } from '../../platforms/fakes/fake-mail.ts';

const mail = await startFakeMail();
afterAll(() => mail.close());

const world = await startWorld({
  clock: 'manual',
  env: { ...OWNER_ENV, SMTP_URL: mail.url, SMTP_FROM: MAILBOX.from },
});

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Moves the manual clock over the API, as users do. */
async function advance(seconds: number): Promise<void> {
  const { status } = await world.rest('POST /simulation/clock', { body: { advanceSeconds: seconds } });
  expect(status).toBe(200);
}

/** Queues a delivery without a post, because a post has metrics reads at hundreds of instants of these days. */
async function deliverTo(webhookId: string, key = world.liveKey): Promise<void> {
  const { status } = await world.rest(`POST /webhooks/${webhookId}/test`, { key });
  expect(status).toBe(200);
}

/** An account with a webhook whose receiver responds with this status. */
async function account(how: number) {
  const { key, id } = await accountWithSandbox(world);
  const receiver = await startReceiver(how);
  const { secret, ...webhook } = await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
  expect(secret).toBeTypeOf('string');
  const shown = async () =>
    (await world.rest('GET /webhooks', { key })).body.webhooks.find(
      ({ id: one }: { id: string }) => one === webhook.id,
    );
  return { key, accountId: id, receiver, webhook, shown, post: () => deliverTo(webhook.id, key) };
}

describe('after three days in which every attempt failed', () => {
  it('a webhook is disabled, exact to the second', async () => {
    const { webhook, shown, post } = await account(500);
    const disabledAt = new Date(world.clock.now().getTime() + 3 * DAY * 1000).toISOString();
    await post();

    await advance(3 * DAY - 1);
    const before = await shown();
    await advance(1);

    expect(before).toEqual(webhook);
    expect(await shown()).toEqual({ ...webhook, enabled: false, disabledAt, disabledReason: 'failing' });
  });

  it('also during a long move of the clock, and pending deliveries continue when it is enabled', async () => {
    const { key, webhook, receiver, shown, post } = await account(500);
    const start = world.clock.now().getTime();
    await post();
    await advance(2.5 * DAY);
    await post();

    await advance(7.5 * DAY);

    expect(await shown()).toMatchObject({ disabledAt: new Date(start + 3 * DAY * 1000).toISOString() });
    // Seven attempts of the first, and those of the second until the end of the third day.
    expect(receiver.received).toHaveLength(7 + 6);
    expect(await deliveriesOf(world, webhook.id, key)).toMatchObject([
      { status: 'pending', attempts: 6 },
      { status: 'dead', attempts: 7 },
    ]);

    receiver.answer(200);
    const { body } = await world.rest(`PATCH /webhooks/${webhook.id}`, { key, body: { enabled: true } });
    await advance(0);

    expect(body.webhook).toEqual(webhook);
    expect(await deliveriesOf(world, webhook.id, key)).toMatchObject([
      { status: 'delivered', attempts: 7 },
      { status: 'dead', attempts: 7 },
    ]);
  });

  it('a webhook stays enabled if it accepted one delivery in that time', async () => {
    const { webhook, receiver, shown, post } = await account(500);
    await post();
    await advance(2 * DAY);
    receiver.answer(200);
    await post();
    await advance(1);
    receiver.answer(500);
    await post();

    await advance(2 * DAY);

    expect(await shown()).toEqual(webhook);
  });

  it('a webhook stays enabled if it was enabled again before, as after a repair', async () => {
    const { key, webhook, receiver, shown, post } = await account(500);
    await post();
    await advance(2.9 * DAY);
    receiver.answer(200);
    await world.rest(`PATCH /webhooks/${webhook.id}`, { key, body: { enabled: true } });

    await advance(1 * DAY);

    expect(await shown()).toEqual(webhook);
  });

  it('a webhook stays enabled if no worker ran for most of that time and the next attempt succeeds', async () => {
    const { webhook, receiver, shown, post } = await account(500);
    await post();
    await world.runDue();
    await advance(6 * 60);

    world.clock.advance(4 * DAY * 1000);
    const before = await shown();
    receiver.answer(200);
    await world.runDue();

    expect([before, await shown()]).toEqual([webhook, webhook]);
    expect(receiver.received).toHaveLength(4);
  });
});

describe('webhook.disabled', () => {
  it('goes to the webhooks that subscribe to it and include it in their scope, and to no other', async () => {
    const { key, accountId, webhook, post } = await account(500);
    const profile = await world.profile('A', accountId);
    const profileKey = (await world.key({ accountId, profileId: profile.id })).secret;
    const [naming, silent, inProfile] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await registerWebhook(world, naming.url, { key, events: ['webhook.disabled'] });
    await registerWebhook(world, silent.url, { key });
    await registerWebhook(world, inProfile.url, { key: profileKey, events: ['webhook.disabled'] });
    await world.rest(`PATCH /webhooks/${webhook.id}`, {
      key,
      body: { description: 'Bells', events: ['post.sent', 'webhook.disabled'] },
    });
    await post();
    await advance(3 * DAY);
    await world.rest(`PATCH /webhooks/${webhook.id}`, { key, body: { enabled: true } });

    await advance(HOUR);

    const disabledAt = new Date(world.clock.now().getTime() - HOUR * 1000).toISOString();
    expect(naming.received.map(({ body }) => body)).toEqual([
      {
        eventId: UUID,
        event: 'webhook.disabled',
        timestamp: disabledAt,
        webhook: { id: webhook.id, description: 'Bells', disabledAt, disabledReason: 'failing', profileId: null },
      },
    ]);
    expect(naming.received[0]?.headers).toMatchObject({
      'x-service-event': 'webhook.disabled',
      'x-service-mode': 'live',
    });
    expect(silent.received.map(({ body }) => body.event)).not.toContain('webhook.disabled');
    expect(inProfile.received).toEqual([]);
  });
});

describe('the owner', () => {
  it('gets one email, and sees the webhook on the account page', async () => {
    const receiver = await startReceiver(500);
    const webhook = await registerWebhook(world, receiver.url, { events: ['post.sent'] });
    const since = world.clock.now().toISOString();
    await deliverTo(webhook.id);
    const before = mail.messages().length;

    await advance(4 * DAY);

    // A weekly digest may be among them.
    const mails = mail
      .messages()
      .slice(before)
      .filter(({ raw }) => raw.includes('Subject: Webhook'));
    expect(mails.map(({ recipient, sender }) => [recipient, sender])).toEqual([[EMAIL, MAILBOX.from]]);
    const words = mails[0]?.raw.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
    const { host } = new URL(receiver.url);
    expect(words).toContain(`Subject: Webhook to ${host} was disabled`);
    expect(words).toContain(`every delivery to it failed since ${since}`);
    expect(words).toContain(`Webhook: ${webhook.id}`);
    const { text } = await (await signedInBrowser(world)).get('/owner');
    const page = text.replace(/\s+/g, ' ');
    expect(page).toContain('Disabled webhooks');
    expect(page).toContain(`To ${host}, <code>${webhook.id}</code>.`);
    expect(page).toContain('after three days in which every attempt failed');

    await world.rest(`PATCH /webhooks/${webhook.id}`, { body: { enabled: true } });
    expect((await (await signedInBrowser(world)).get('/owner')).text).not.toContain('Disabled webhooks');
  });
});
