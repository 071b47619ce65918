/**
 * The webhook body of each event with all its fields (docs/contract/webhooks.md#events), and which webhooks receive it.
 */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { registerWebhook, type Receiver, startReceiver } from '../../harness/receiver.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** An account with a sandbox, and a webhook that is subscribed to one event. */
async function subscribeTo(event: string) {
  const account = await accountWithSandbox(world);
  const receiver = await startReceiver();
  const webhook = await registerWebhook(world, receiver.url, { key: account.key, events: [event] });
  return { ...account, receiver, webhook };
}

/** The only body that was delivered. Also checks its envelope. */
function onlyBody(receiver: Receiver, event: string): Record<string, unknown> {
  expect(receiver.received).toHaveLength(1);
  const [delivery] = receiver.received;
  const { eventId, event: name, timestamp, ...payload } = delivery?.body ?? {};
  expect([eventId, name, timestamp]).toEqual([UUID, event, world.clock.now().toISOString()]);
  expect(delivery?.headers).toMatchObject({
    'content-type': 'application/json',
    'user-agent': expect.stringMatching(/^Carillon\/\d+\.\d+\.\d+$/),
    'x-service-event': event,
    'x-service-event-id': eventId,
    'x-service-delivery': eventId,
    'x-service-mode': 'live',
    'x-service-signature': expect.stringMatching(/^t=[0-9]+,v1=[0-9a-f]{64}$/),
  });
  return payload;
}

const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString();

describe('the body of', () => {
  it('post.sent', async () => {
    const { key, receiver } = await subscribeTo('post.sent');
    const body = { text: 'Hello', connectionSlugs: ['sandbox'], tags: ['launch'] };
    const { body: answer } = await world.rest('POST /posts', { key, body });
    const [{ postId, url }] = answer.results;

    await world.runDue();

    expect(onlyBody(receiver, 'post.sent')).toEqual({
      post: {
        id: postId,
        connectionSlug: 'sandbox',
        text: 'Hello',
        status: 'sent',
        url,
        scheduledFor: null,
        createdAt: world.clock.now().toISOString(),
        mediaCount: 0,
        threadCount: 0,
        hasFirstComment: false,
        error: null,
        tags: ['launch'],
        profileId: null,
      },
    });
  });

  it('post.sent of a scheduled post in a profile, without an event at scheduling', async () => {
    const { id: accountId, key, receiver } = await subscribeTo('post.sent');
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, slug: 'acme', profileId: profile.id });
    const scheduledFor = later(60_000);
    const createdAt = later(0);
    const { postId } = await makePost(world, 'acme', { key, scheduledFor, profileId: profile.id });
    await world.runDue();
    expect(receiver.received).toEqual([]);

    await world.advance(60_000);

    expect(onlyBody(receiver, 'post.sent')).toMatchObject({
      post: { id: postId, scheduledFor, createdAt, profileId: profile.id, status: 'sent' },
    });
  });

  it('post.failed', async () => {
    const { key, receiver } = await subscribeTo('post.failed');
    const { postId, error } = await makePost(world, 'sandbox', { key, text: 'No [[reject]]' });

    await world.runDue();

    expect(onlyBody(receiver, 'post.failed')).toEqual({
      post: {
        id: postId,
        connectionSlug: 'sandbox',
        text: 'No [[reject]]',
        status: 'failed',
        url: null,
        scheduledFor: null,
        createdAt: world.clock.now().toISOString(),
        mediaCount: 0,
        threadCount: 0,
        hasFirstComment: false,
        error: { code: 'platform_rejected', message: error?.message },
        tags: [],
        profileId: null,
      },
    });
  });

  it('post.deleted, without an event for cancelling a scheduled post', async () => {
    const { key, receiver } = await subscribeTo('post.deleted');
    const { postId } = await makePost(world, 'sandbox', { key });
    const waiting = await makePost(world, 'sandbox', { key, scheduledFor: later(60_000) });
    await world.rest(`DELETE /posts/${waiting.postId}`, { key });

    const { body } = await world.rest(`DELETE /posts/${postId}`, { key });

    await world.runDue();
    expect(onlyBody(receiver, 'post.deleted')).toEqual({
      post: {
        id: postId,
        connectionSlug: 'sandbox',
        platformId: 'sandbox',
        deletedAt: body.deletedAt,
        profileId: null,
      },
    });
  });

  it('post.rescheduled', async () => {
    const { key, receiver } = await subscribeTo('post.rescheduled');
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[reject]]' });
    const scheduledFor = later(120_000);

    await world.rest(`POST /posts/${postId}/retry`, { key, body: { scheduledFor } });

    await world.runDue();
    expect(onlyBody(receiver, 'post.rescheduled')).toEqual({
      post: { id: postId, connectionSlug: 'sandbox', scheduledFor, reason: 'requeued', profileId: null },
    });
  });

  it('connection.created', async () => {
    const { key, receiver } = await subscribeTo('connection.created');

    const { id } = await connectSandbox(world, { key, slug: 'second' });

    await world.runDue();
    expect(onlyBody(receiver, 'connection.created')).toEqual({
      connection: { id, profileId: null, connectSessionId: null, platformId: 'sandbox', slug: 'second' },
    });
  });

  it('connection.removed', async () => {
    const { key, receiver, connection } = await subscribeTo('connection.removed');

    await world.rest(`DELETE /connections/${connection.id}`, { key });

    await world.runDue();
    expect(onlyBody(receiver, 'connection.removed')).toEqual({
      connection: {
        id: connection.id,
        profileId: null,
        connectSessionId: null,
        platformId: 'sandbox',
        slug: 'sandbox',
      },
    });
  });
});

describe('a move between profiles', () => {
  it('is a removal from the old profile, then a creation in the new one', async () => {
    const { id: accountId, key, connection } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const receiver = await startReceiver();
    await registerWebhook(world, receiver.url, { key });

    await world.rest(`PATCH /connections/${connection.id}`, { key, body: { profileId: profile.id } });

    await world.runDue();
    expect(receiver.received.map(({ body }) => [body.event, body.connection.profileId])).toEqual([
      ['connection.removed', null],
      ['connection.created', profile.id],
    ]);
  });
});

describe('an event is delivered', () => {
  it('to every scope that includes it: the account, its profile, and test keys if it has test mode', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const [a, b] = [await world.profile('A', accountId), await world.profile('B', accountId)];
    await connectSandbox(world, { key, slug: 'in-a', profileId: a.id });
    const secretOf = async (type: 'live' | 'test', profileId: string | null) =>
      (await world.key({ accountId, type, profileId })).secret;
    const test = await secretOf('test', null);
    const keys: Record<string, string> = {
      live: key,
      liveA: await secretOf('live', a.id),
      liveB: await secretOf('live', b.id),
      test,
      testA: await secretOf('test', a.id),
      other: (await accountWithSandbox(world)).key,
    };
    const received: Record<string, Receiver> = {};
    for (const [name, registering] of Object.entries(keys)) {
      received[name] = await startReceiver();
      await registerWebhook(world, received[name].url, { key: registering, events: ['post.sent'] });
    }

    await makePost(world, 'sandbox', { key, text: 'live, own' });
    await makePost(world, 'in-a', { key, text: 'live, in A', profileId: a.id });
    await makePost(world, 'sandbox', { key: test, text: 'test, own' });
    await makePost(world, 'in-a', { key: test, text: 'test, in A', profileId: a.id });
    await world.runDue();

    const texts = Object.entries(received).map(([name, { received }]) => [
      name,
      received.map(({ body }) => body.post.text),
    ]);
    expect(Object.fromEntries(texts)).toEqual({
      live: ['live, own', 'live, in A', 'test, own', 'test, in A'],
      liveA: ['live, in A', 'test, in A'],
      liveB: [],
      test: ['test, own', 'test, in A'],
      testA: ['test, in A'],
      other: [],
    });
    expect(received['live']?.received.map(({ headers }) => headers['x-service-mode'])).toEqual([
      'live',
      'live',
      'test',
      'test',
    ]);
  });

  it('to no webhook that was registered after it happened', async () => {
    const { key } = await accountWithSandbox(world);
    const [early, late] = [await startReceiver(), await startReceiver()];
    await registerWebhook(world, early.url, { key });
    await makePost(world, 'sandbox', { key });
    await registerWebhook(world, late.url, { key });

    await world.runDue();

    expect([early.received.length, late.received.length]).toEqual([1, 0]);
  });

  it('to each webhook once, each under a different id', async () => {
    const { key } = await accountWithSandbox(world);
    const [one, two] = [await startReceiver(), await startReceiver()];
    for (const { url } of [one, two]) await registerWebhook(world, url, { key });
    await makePost(world, 'sandbox', { key });

    await world.runDue();

    const ids = [one, two].map(({ received }) => received.map(({ body }) => body.eventId));
    expect(ids.map((own) => own.length)).toEqual([1, 1]);
    expect(ids[0]).not.toEqual(ids[1]);
  });
});

describe('the signature', () => {
  it('covers the delivered bytes, with the secret from the registration', async () => {
    const { key, receiver, webhook } = await subscribeTo('post.sent');
    await makePost(world, 'sandbox', { key, text: 'Glöckchen 🔔 "läuten"' });

    await world.runDue();

    const [delivery] = receiver.received;
    const [, t = '', v1] = /^t=(\d+),v1=(.+)$/.exec(String(delivery?.headers['x-service-signature'])) ?? [];
    expect(Number(t) * 1000).toBe(world.clock.now().getTime());
    expect(v1).toBe(createHmac('sha256', webhook.secret).update(`${t}.${delivery?.raw}`).digest('hex'));
  });
});

describe('an event from another module', () => {
  it('is delivered in the same way: post.metrics, in its stored form', async () => {
    const { id: accountId, key, receiver } = await subscribeTo('post.metrics');
    const { postId } = await makePost(world, 'sandbox', { key });
    const payload = {
      post: { id: postId, connectionSlug: 'sandbox', platformId: 'sandbox', url: null, profileId: null },
      metrics: { fetchedAt: later(0), impressions: null, likes: 1, reposts: 0, replies: 0, clicks: null },
    };
    await world.sql(
      `insert into events (id, account_id, name, mode, subject_id, payload, created_at)
       values ($1, $2, 'post.metrics', 'live', $3, $4, $5)`,
      [world.context.random.uuid(), accountId, UNKNOWN_ID, payload, world.clock.now()],
    );

    await world.runDue();

    expect(onlyBody(receiver, 'post.metrics')).toEqual(payload);
  });
});
