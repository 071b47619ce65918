/**
 * Who is notified of what: subscriptions stay within the account, the profile, the mode and the scopes of the caller, end with
 * its key or grant, and share the limits of event streams (docs/contract/agents.md#subscriptions).
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { STREAMS_PER_KEY } from '../../services/events/stream-places.ts';
import { makeAccount } from '../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../harness/connections.ts';
import { consoleCalls } from '../harness/console-calls.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { listenTo } from '../harness/event-stream.ts';
import { startPeer } from '../harness/peer.ts';
import { makePost } from '../harness/posts.ts';
import { connectionsOf, serveApp } from '../harness/serve-app.ts';
import { startWorld } from '../harness/world.ts';
import { claimsOf, type Person, postForm, refresh, signIn, tokensFor } from '../oauth/agents.ts';
import { legacy, MODERN } from './clients.ts';
import { openClient, subscribe } from './subscribers.ts';

const world = await startWorld();
let person: Person;
beforeAll(async () => {
  person = await signIn(world);
});

const APPROVALS = 'carillon://approvals';
const CONNECTIONS = 'carillon://connections';
const postUri = (postId: string) => `carillon://posts/${postId}`;

/** A post that goes out in an hour, and what moves it by a minute. */
async function movingPost(key: string, slug = 'sandbox') {
  let minutes = 60;
  const later = () => new Date(world.clock.now().getTime() + (minutes += 1) * 60_000).toISOString();
  const { postId } = await makePost(world, slug, { key, scheduledFor: later() });
  const move = () => world.rest(`POST /posts/${postId}/reschedule`, { key, body: { scheduledFor: later() } });
  return { uri: postUri(postId), move };
}

describe('the reach', () => {
  it('is one account: what happens in another is never notified, also under the same addresses', async () => {
    const [account, stranger] = [await accountWithSandbox(world), await accountWithSandbox(world)];
    const [own, foreign] = [await movingPost(account.key), await movingPost(stranger.key)];
    const asking = await world.key({ accountId: stranger.id, approval: 'required' });
    const uris = [foreign.uri, own.uri, APPROVALS, CONNECTIONS, 'carillon://connections/main'];
    const subscriber = await subscribe(world, account.key, uris);
    const other = await subscribe(world, stranger.key, uris);

    await foreign.move();
    await makePost(world, 'sandbox', { key: asking.secret });
    await connectSandbox(world, { key: stranger.key, slug: 'main' });
    expect((await other.next(4)).toSorted()).toEqual([foreign.uri, ...uris.slice(2)].toSorted());
    await own.move();

    expect(await subscriber.next(1)).toEqual([own.uri]);
    expect([subscriber.watched, other.watched]).toEqual([uris.slice(1), [foreign.uri, ...uris.slice(2)]]);
  });

  it('is one profile for a key of a profile', async () => {
    const account = await accountWithSandbox(world);
    const { id: profileId } = await world.profile('A', account.id);
    const { secret } = await world.key({ accountId: account.id, profileId });
    await connectSandbox(world, { key: account.key, slug: 'inside', profileId });
    const [inside, outside] = [await movingPost(secret, 'inside'), await movingPost(account.key)];
    const uris = [outside.uri, inside.uri, CONNECTIONS];
    const ofProfile = await subscribe(world, secret, uris);
    const ofAccount = await subscribe(world, account.key, uris);

    await outside.move();
    await connectSandbox(world, { key: account.key, slug: 'second' });
    await inside.move();

    expect(await ofAccount.next(3)).toEqual([outside.uri, CONNECTIONS, inside.uri]);
    expect(await ofProfile.next(1)).toEqual([inside.uri]);
    expect(ofProfile.watched).toEqual([inside.uri, CONNECTIONS]);
  });

  it('is test mode for a test key', async () => {
    const account = await accountWithSandbox(world);
    const { secret } = await world.key({ accountId: account.id, type: 'test' });
    const [live, test] = [await movingPost(account.key), await movingPost(secret)];
    const subscriber = await subscribe(world, secret, [live.uri, test.uri]);

    await live.move();
    await test.move();

    expect(await subscriber.next(1)).toEqual([test.uri]);
  });

  it('is what the scopes allow to read: 403 insufficient_scope names what is missing', async () => {
    const { access } = await tokensFor(world, person, { scope: 'connections:read' });
    const subscriber = await subscribe(world, access, [CONNECTIONS]);
    const client = await openClient(world, access);
    const { id } = await world.profile('Scoped');
    const { body } = await world.rest(`POST /profiles/${id}/keys`, {
      body: { name: 'Reads connections', type: 'live', scopes: ['connections:read'] },
    });

    const refused = client.listen({ resourceSubscriptions: [CONNECTIONS, APPROVALS] });

    await expect(refused).rejects.toThrow(/^Insufficient scope: required "posts:read"$/);
    for (const [credential, uri] of [
      [access, APPROVALS],
      [body.secret, postUri('01a1fdfa-4600-7051-a4e5-000000000000')],
    ] as const) {
      const answer = await rawListen(credential, [CONNECTIONS, uri]);
      expect(answer.status).toBe(403);
      expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="posts:read"');
    }
    await connectSandbox(world, { slug: 'scoped' });
    expect(await subscriber.next(1)).toEqual([CONNECTIONS]);
  });
});

function rawListen(credential: string, uris: readonly string[], at = world.url): Promise<Response> {
  return fetch(`${at}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, ...HEADERS },
    body: listenMessage(uris),
  });
}

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': MODERN,
  'mcp-method': 'subscriptions/listen',
};

function listenMessage(uris: readonly string[]): string {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return legacy('subscriptions/listen', { notifications: { resourceSubscriptions: uris }, _meta });
}

describe('the end of a subscription', () => {
  it('comes when the key is revoked', async () => {
    const account = await makeAccount(world);
    const { id, secret } = await world.key({ accountId: account.id });
    const subscriber = await subscribe(world, secret, [CONNECTIONS]);

    await world.rest(`DELETE /keys/${id}`, { key: account.key });

    expect(await subscriber.closed).toBe('graceful');
    expect((await rawListen(secret, [CONNECTIONS])).status).toBe(401);
  });

  it('comes when the grant is revoked, before anything that happens later is notified', async () => {
    const { clientId, access, refresh: token } = await tokensFor(world, person);
    const subscriber = await subscribe(world, access, [CONNECTIONS]);

    await postForm(world, '/oauth/revoke', { client_id: clientId, token });
    await connectSandbox(world, { slug: 'after' });

    expect(await subscriber.closed).toBe('graceful');
    expect(subscriber.received).toEqual([]);
    expect((await rawListen(access, [CONNECTIONS])).status).toBe(401);
  });

  it('comes when the access token expires; the next token continues after the last event', async () => {
    await using own = await startWorld();
    const { clientId, access, refresh: token } = await tokensFor(own, await signIn(own));
    const first = await subscribe(own, access, [CONNECTIONS]);
    await connectSandbox(own, { slug: 'one' });
    await first.next(1);

    own.clock.set(new Date(Number(claimsOf(access)['exp']) * 1000));
    expect(await first.closed).toBe('graceful');
    await connectSandbox(own, { slug: 'two' });

    const { body } = await refresh(own, clientId, token);
    const after = first.received[0]?.eventId;
    const second = await subscribe(own, body.access_token, [CONNECTIONS, 'carillon://connections/two'], { after });
    expect((await second.next(2)).toSorted()).toEqual([CONNECTIONS, 'carillon://connections/two']);
  });

  it.each([
    ['the profile of the key is deleted', async (profileId: string) => world.rest(`DELETE /profiles/${profileId}`)],
    [
      'the person who gave the access is removed',
      async (_profileId: string, ownerId: string) =>
        (await consoleCalls(world, person.browser))('people.remove', { personId: ownerId }),
    ],
  ])('comes when %s', async (_why, end) => {
    const { id } = await world.profile('Ends');
    const other = await signIn(world, undefined, 'viewer');
    const { access } = await tokensFor(world, other, { reach: id });
    const subscriber = await subscribe(world, access, [CONNECTIONS]);

    await end(id, other.ownerId);

    expect(await subscriber.closed).toBe('graceful');
  });

  it('comes when the process stops, and lets it stop', async () => {
    const { key } = await makeAccount(world);
    const stopping = new AbortController();
    const { url, server } = await serveApp(world.context, { stopping: stopping.signal });
    const subscriber = await subscribe({ url }, key, [CONNECTIONS]);

    stopping.abort();

    expect(await subscriber.closed).toBe('graceful');
    server.closeIdleConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('comes for a client that does not read, which continues when it returns', async () => {
    const account = await makeAccount(world);
    // A poll interval of half a second would make this test take half a minute.
    const sleep = async (_ms: number, signal?: AbortSignal) => {
      await wait(5, undefined, signal === undefined ? {} : { signal });
    };
    const clock = { ...world.context.clock, sleep };
    const { url, server } = await serveApp({ ...world.context, clock });
    const first = await subscribe({ url }, account.key, [CONNECTIONS]);
    await connectSandbox(world, { key: account.key, slug: 'main' });
    await first.next(1);
    await first.close();
    await first.client.close();
    server.closeIdleConnections();
    await expect.poll(() => connectionsOf(server)).toBe(0);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const body = listenMessage([CONNECTIONS]);
    const headers = { ...HEADERS, host: 'localhost', 'x-api-key': account.key, 'content-length': String(body.length) };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${body}`);
    const opening = String((await once(socket, 'data'))[0]);
    socket.pause();
    expect(opening).toMatch(/^HTTP\/1\.1 200 .*connection: close\r\n/is);
    // Far more than the socket buffers hold.
    await world.sql(
      `insert into events (id, account_id, profile_id, name, mode, subject_id, payload, created_at, fanned_out_at)
       select gen_random_uuid(), $1, null, 'connection.removed', 'live', gen_random_uuid(), $2, $3, $3
       from generate_series(1, 40000)`,
      [account.id, JSON.stringify({ connection: { slug: 'many' } }), world.clock.now()],
    );

    await expect.poll(() => connectionsOf(server)).toBe(0);

    const again = await subscribe({ url }, account.key, [CONNECTIONS], { after: first.received[0]?.eventId });
    expect(await again.next(40_000)).toHaveLength(40_000);
  });
});

describe('the limit', () => {
  it('is five streams of a key, those of GET /events included, until one closes', async () => {
    const { key } = await makeAccount(world);
    const streams = await Promise.all(
      Array.from({ length: STREAMS_PER_KEY - 1 }, () => subscribe(world, key, [CONNECTIONS])),
    );
    await listenTo(world, key);

    await expect(subscribe(world, key, [CONNECTIONS])).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringContaining(
        'limit_exceeded: Too many event streams are open: this key has 5. Close one and try again.',
      ),
    });
    expect((await world.rest('GET /events', { key })).status).toBe(403);

    await streams[0]?.close();
    await expect.poll(async () => (await listenTo(world, key).catch(() => null)) !== null).toBe(true);
  });

  it('is not used up by streams that watch nothing, and have ended at once', async () => {
    const { key } = await makeAccount(world);
    for (let index = 0; index <= STREAMS_PER_KEY; index += 1) {
      const subscriber = await subscribe(world, key, ['carillon://platforms']);
      expect(await subscriber.closed).toBe('graceful');
    }
  });

  it('is that of requests too: each subscription counts as one', async () => {
    await using strict = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    const first = await rawListen(strict.liveKey, [CONNECTIONS], strict.url);
    await first.body?.cancel();

    expect([first.status, (await rawListen(strict.liveKey, [CONNECTIONS], strict.url)).status]).toEqual([200, 429]);
  });
});

describe.runIf(TEST_DATABASE_URL)('two processes on one database', () => {
  it('notify of what the other wrote, and continue what the other began', async () => {
    const account = await accountWithSandbox(world);
    const { uri, move } = await movingPost(account.key);
    const peer = await serveApp(await startPeer(world));
    const [here, there] = [await subscribe(world, account.key, [uri]), await subscribe(peer, account.key, [uri])];

    await move();

    expect([await here.next(1), await there.next(1)]).toEqual([[uri], [uri]]);
    expect(there.received).toEqual(here.received);
    await there.close();
    await move();
    const again = await subscribe(world, account.key, [uri], { after: there.received[0]?.eventId });
    expect(await again.next(1)).toEqual([uri]);
  });
});
