/**
 * Subscriptions to resources with the client of the SDK: what is notified, what is not, and what a client that returns gets
 * (docs/contract/agents.md#subscriptions).
 */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../harness/connections.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';
import { callRaw, connect, legacy, MODERN } from './clients.ts';
import { subscribe, type Subscriber } from './subscribers.ts';

const world = await startWorld();

const MINUTE_MS = 60_000;
const APPROVALS = 'carillon://approvals';
const CONNECTIONS = 'carillon://connections';

const postUri = (postId: string) => `carillon://posts/${postId}`;
const connectionUri = (slug: string) => `carillon://connections/${slug}`;

/** A post of the account that goes out in a minute. */
const laterPost = (key: string, text = 'Later') =>
  makePost(world, 'sandbox', {
    key,
    text,
    scheduledFor: new Date(world.clock.now().getTime() + MINUTE_MS).toISOString(),
  });

const reschedule = (key: string, postId: string, minutes: number) =>
  world.rest(`POST /posts/${postId}/reschedule`, {
    key,
    body: { scheduledFor: new Date(world.clock.now().getTime() + minutes * MINUTE_MS).toISOString() },
  });

/** Sends a request to listen that the client of the SDK would not send. */
const listenRaw = (params: object, meta = {}) =>
  callRaw(world, {
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'subscriptions/listen' },
    body: legacy('subscriptions/listen', {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': MODERN,
        'io.modelcontextprotocol/clientCapabilities': {},
        ...meta,
      },
    }),
  });

const textOf = async ({ client }: Pick<Subscriber, 'client'>, uri: string) => {
  const [content] = (await client.readResource({ uri })).contents;
  return content !== undefined && 'text' in content ? content.text : undefined;
};

describe('a post', () => {
  it('is notified when it is sent, and its resource is then the new body of GET /posts/{postId}', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await laterPost(key);
    const subscriber = await subscribe(world, key, [postUri(postId)]);

    await world.advance(MINUTE_MS);

    expect(await subscriber.next(1)).toEqual([postUri(postId)]);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(body.post.status).toBe('sent');
    expect(await textOf(subscriber, postUri(postId))).toBe(JSON.stringify(body));
  });

  it.each([
    ['fails', (key: string) => laterPost(key, 'Out [[reject]]'), () => world.advance(MINUTE_MS)],
    ['moves', laterPost, (key: string, postId: string) => reschedule(key, postId, 5)],
    [
      'is taken down',
      (key: string) => makePost(world, 'sandbox', { key }),
      (key: string, postId: string) => world.rest(`DELETE /posts/${postId}`, { key }),
    ],
  ])('is notified when it %s', async (_what, begin, change) => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await begin(key);
    const subscriber = await subscribe(world, key, [postUri(postId)]);

    await change(key, postId);

    expect(await subscriber.next(1)).toEqual([postUri(postId)]);
  });

  it('is notified in the spelling of the client, once, and no other post is', async () => {
    const { key } = await accountWithSandbox(world);
    const [{ postId }, other] = [await laterPost(key), await laterPost(key)];
    const spelled = postUri(postId.toUpperCase());
    const subscriber = await subscribe(world, key, [spelled, postUri(postId), spelled]);

    await reschedule(key, other.postId, 5);
    await reschedule(key, postId, 5);
    await reschedule(key, postId, 6);

    expect(subscriber.watched).toEqual([spelled]);
    expect(await subscriber.next(2)).toEqual([spelled, spelled]);
  });
});

describe('the pending approvals', () => {
  it('are notified with their post when one is asked for and decided, and are the body of GET /approvals', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const asking = await world.key({ accountId, approval: 'required' });
    const subscriber = await subscribe(world, key, [APPROVALS]);

    const { postId } = await makePost(world, 'sandbox', { key: asking.secret, text: 'May I?' });

    expect(await subscriber.next(1)).toEqual([APPROVALS]);
    const { body } = await world.rest('GET /approvals', { key });
    expect(body.approvals).toMatchObject([{ postId, content: { text: 'May I?' } }]);
    expect(await textOf(subscriber, APPROVALS)).toBe(JSON.stringify(body));
    const both = await subscribe(world, asking.secret, [postUri(postId), APPROVALS]);
    await world.rest(`POST /posts/${postId}/approve`, { key, body: {} });
    // It is approved, and then sent.
    expect((await both.next(3)).toSorted()).toEqual([APPROVALS, postUri(postId), postUri(postId)].toSorted());
    expect(await subscriber.next(1)).toEqual([APPROVALS]);
    expect(JSON.parse((await textOf(subscriber, APPROVALS)) ?? '').approvals).toEqual([]);
  });
});

describe('connections', () => {
  it('are notified when one is connected, also under a slug that was free, and when it is removed', async () => {
    const { key } = await makeAccount(world);
    const subscriber = await subscribe(world, key, [CONNECTIONS, connectionUri('main'), connectionUri('other')]);

    const { id } = await connectSandbox(world, { key, slug: 'main' });
    expect((await subscriber.next(2)).toSorted()).toEqual([CONNECTIONS, connectionUri('main')]);
    const { body } = await world.rest('GET /connections', { key });
    expect(await textOf(subscriber, CONNECTIONS)).toBe(JSON.stringify(body));

    await world.rest(`DELETE /connections/${id}`, { key });
    expect((await subscriber.next(2)).toSorted()).toEqual([CONNECTIONS, connectionUri('main')]);
  });
});

describe('the acknowledgement', () => {
  it('names only resources that change and are within reach; without any the stream ends at once', async () => {
    const account = await accountWithSandbox(world);
    const stranger = await accountWithSandbox(world);
    const own = await laterPost(account.key);
    const foreign = await laterPost(stranger.key);
    const never = [
      postUri(foreign.postId),
      postUri('01a1fdfa-4600-7051-a4e5-000000000000'),
      postUri('hello'),
      'carillon://platforms',
      'carillon://openapi',
      'carillon://nothing',
      'https://example.com',
      '',
    ];

    const some = await subscribe(world, account.key, [...never, postUri(own.postId), APPROVALS]);
    const none = await subscribe(world, account.key, never);

    expect(some.watched).toEqual([postUri(own.postId), APPROVALS]);
    expect(none.watched).toEqual([]);
    expect(await none.closed).toBe('graceful');
  });

  it.each([
    ['no filter', {}],
    ['a filter that is no object', { notifications: 'all' }],
    ['addresses that are no list', { notifications: { resourceSubscriptions: APPROVALS } }],
    ['addresses that are no text', { notifications: { resourceSubscriptions: [1] } }],
  ])('does not come for %s, which is a protocol error', async (_what, params) => {
    const { body } = await listenRaw(params);

    expect(body.error.code).toBe(-32_602);
  });

  it('does not come in the revisions before 2026-07-28, which do not offer subscriptions here', async () => {
    const client = await connect(world, 'legacy');

    expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: false });
    await expect(client.subscribeResource({ uri: APPROVALS })).rejects.toThrow('Method not found');
    const { body } = await callRaw(world, { body: legacy('resources/subscribe', { uri: APPROVALS }) });
    expect(body.error.code).toBe(-32_601);
    expect((await callRaw(world, { method: 'GET' })).status).toBe(405);
  });
});

describe('a client that returns', () => {
  it('finds every change in what it reads after the acknowledgement, or is notified of it', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await laterPost(key);
    const first = await subscribe(world, key, [postUri(postId)]);
    await first.close();
    expect(await first.closed).toBe('local');
    await reschedule(key, postId, 5);

    const second = await subscribe(world, key, [postUri(postId)]);
    const { body } = await world.rest(`GET /posts/${postId}`, { key });
    expect(await textOf(second, postUri(postId))).toBe(JSON.stringify(body));
    expect(Date.parse(body.post.scheduledFor)).toBe(world.clock.now().getTime() + 5 * MINUTE_MS);
    await reschedule(key, postId, 6);

    expect(await second.next(1)).toEqual([postUri(postId)]);
    expect(first.received).toEqual([]);
  });

  it('is notified of exactly what it missed, in order, with the event that it knows', async () => {
    const { key } = await accountWithSandbox(world);
    const [a, b, unwatched] = [await laterPost(key), await laterPost(key), await laterPost(key)];
    const uris = [postUri(a.postId), postUri(b.postId), CONNECTIONS];
    const first = await subscribe(world, key, uris);
    await reschedule(key, a.postId, 5);
    await first.next(1);
    await first.close();
    await reschedule(key, b.postId, 5);
    await reschedule(key, unwatched.postId, 5);
    await connectSandbox(world, { key, slug: 'second' });
    await reschedule(key, a.postId, 6);

    const second = await subscribe(world, key, uris, { after: first.received[0]?.eventId });

    expect(await second.next(3)).toEqual([postUri(b.postId), CONNECTIONS, postUri(a.postId)]);
    const eventIds = second.received.map(({ eventId }) => eventId);
    expect(new Set(eventIds).size).toBe(3);
    const third = await subscribe(world, key, uris, { after: eventIds[1] });
    expect(await third.next(1)).toEqual([postUri(a.postId)]);
    expect(third.received[0]?.eventId).toBe(eventIds[2]);
  });

  it.each([
    ['nonsense', async () => 'nonsense'],
    ['an unknown event', async () => '01a1fdfa-4600-7051-a4e5-000000000000'],
    [
      'the event of another account',
      async () => {
        const { key } = await makeAccount(world);
        const stranger = await subscribe(world, key, [CONNECTIONS]);
        await connectSandbox(world, { key });
        await stranger.next(1);
        return stranger.received[0]?.eventId ?? '';
      },
    ],
  ])('is refused to continue after %s', async (_what, idOf) => {
    const { key } = await makeAccount(world);
    const after = await idOf();

    await expect(subscribe(world, key, [CONNECTIONS], { after })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(`and not "${after}". Leave it out, and read the resources`),
    });
  });

  it.each([
    ['an object', { toString: 1 }, '{"toString":1}'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
  ])('is refused to continue after %s, which is no position', async (_what, after, shown) => {
    const { body } = await listenRaw(
      { notifications: { resourceSubscriptions: [CONNECTIONS] } },
      { 'carillon/lastEventId': after },
    );

    expect(body).toEqual({
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32_602, message: expect.stringContaining(`and not "${shown}". Leave it out, and read`) },
    });
  });

  it('is refused to continue after an event of more than 29 days ago', async () => {
    await using own = await startWorld();
    const first = await subscribe(own, own.liveKey, [CONNECTIONS]);
    await connectSandbox(own, { slug: 'second' });
    await first.next(1);
    await first.close();
    own.clock.advance(29 * 24 * 60 * MINUTE_MS);
    const after = first.received[0]?.eventId;
    await (await subscribe(own, own.liveKey, [CONNECTIONS], { after })).close();
    own.clock.advance(1000);

    await expect(subscribe(own, own.liveKey, [CONNECTIONS], { after })).rejects.toMatchObject({ code: -32_602 });
  });
});
