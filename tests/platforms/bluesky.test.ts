import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bluesky } from '../../platforms/bluesky/index.ts';
import { makeTid } from '../../platforms/bluesky/tid.ts';
import type { ConnectedAccount, SendPart } from '../../platforms/contract.ts';
import { type FakeBluesky, type FakeBlueskyAccount, startFakeBluesky } from './fakes/fake-bluesky.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const PASSWORD = 'abcd-efgh-ijkl-mnop';
const ACCESS_MS = 2 * 60 * 60_000;

type Account = Awaited<ReturnType<typeof bluesky.connectAccount>>;

let clock: StoppedClock;
let fake: FakeBluesky;
let alice: FakeBlueskyAccount;

beforeEach(async () => {
  clock = new StoppedClock();
  fake = await startFakeBluesky(clock);
  alice = fake.addAccount('alice.test', PASSWORD);
});

afterEach(() => fake.close());

const io = () => testIo(clock.now, { BLUESKY_SERVICE_URL: fake.url });
const connect = () => bluesky.connectAccount({ identifier: 'alice.test', appPassword: PASSWORD }, io());
const puts = () => fake.calls['com.atproto.repo.putRecord'];

function part(text: string, seed = 'attempt-1', more: Partial<SendPart> = {}): SendPart {
  const startedAt = clock.now();
  return { ...headPart(text, makeTid(startedAt, seed), startedAt), ...more };
}

/** Recovers a part whose response was lost, as the app does. */
function lookFor(account: Account, lost: SendPart) {
  return bluesky.readBack?.(sessionOf(account), lost, io());
}

describe('credentials', () => {
  const parse = (input: unknown) => bluesky.credentials.safeParse(input);

  it('accepts a handle, an app password and the address of a server', () => {
    const input = { identifier: 'alice.test', appPassword: PASSWORD, service: 'https://pds.example' };

    expect(parse(input).data).toEqual(input);
  });

  it.each([
    [{ identifier: 'alice.test' }],
    [{ identifier: '', appPassword: PASSWORD }],
    [{ identifier: 'alice.test', appPassword: PASSWORD, token: 'x' }],
    [{ identifier: 'alice.test', appPassword: PASSWORD, service: 'pds.example' }],
    [{ identifier: 'alice.test', appPassword: PASSWORD, service: 'https://pds.example/xrpc' }],
    [{ identifier: 'alice.test', appPassword: PASSWORD, service: 'https://user@pds.example' }],
    [{ identifier: 'alice.test', appPassword: PASSWORD, service: 'ftp://pds.example' }],
  ])('refuses %j', (input) => {
    expect(parse(input).success).toBe(false);
  });
});

describe('connectAccount', () => {
  it('returns the account and the credential to store', async () => {
    expect(await connect()).toEqual({
      platformAccountId: alice.did,
      handle: 'alice.test',
      credential: {
        service: fake.url,
        pds: fake.url,
        identifier: 'alice.test',
        appPassword: PASSWORD,
        accessJwt: 'access-1',
        refreshJwt: 'refresh-1',
      },
    });
  });

  it('accepts handles as users copy them: with an @ and invisible characters', async () => {
    const input = { identifier: '\u2068@alice.test\u2069 ', appPassword: ` ${PASSWORD}`, service: `${fake.url}/` };

    expect(await bluesky.connectAccount(input, testIo(clock.now))).toMatchObject({ handle: 'alice.test' });
  });

  it('returns the server’s message for a wrong password', async () => {
    const call = bluesky.connectAccount({ identifier: 'alice.test', appPassword: 'nope' }, io());

    expect(await failureOf(call)).toEqual({
      kind: 'reconnect',
      message: 'Bluesky does not accept this credential: Invalid identifier or password',
    });
  });

  it('refuses an inactive account', async () => {
    alice.active = false;

    expect(await failureOf(connect())).toEqual({ kind: 'reconnect', message: 'This Bluesky account is deactivated.' });
  });

  it('is unavailable when the server cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toEqual({
      kind: 'unavailable',
      message: `${new URL(fake.url).host} could not be reached: connection refused`,
    });
  });

  it.each([
    ['https://entry.example', 'https://pds.example/', 'https://pds.example'],
    ['https://entry.example', 'http://pds.example', 'https://entry.example'],
    ['https://entry.example', 'nonsense', 'https://entry.example'],
    ['https://entry.example', undefined, 'https://entry.example'],
    ['http://pds.example', 'https://elsewhere.example', 'http://pds.example'],
  ])('of an account at %s whose identity names %s, calls %s afterwards', async (service, serviceEndpoint, pds) => {
    const didDoc = { service: [{ id: '#other' }, { id: '#atproto_pds', serviceEndpoint }] };
    const session = { did: 'did:plc:a', handle: 'alice.test', accessJwt: 'a', refreshJwt: 'r' };
    const answer = () => Response.json(serviceEndpoint === undefined ? session : { ...session, didDoc });
    const input = { identifier: 'alice.test', appPassword: PASSWORD, service };

    const account = await bluesky.connectAccount(input, { ...io(), fetch: () => Promise.resolve(answer()) });

    expect(account.credential).toMatchObject({ service, pds });
  });

  it('refuses a server that is not a Bluesky server', async () => {
    const page = { ...io(), fetch: () => Promise.resolve(new Response('hello')) };

    expect(await failureOf(bluesky.connectAccount({ identifier: 'alice.test', appPassword: PASSWORD }, page))).toEqual({
      kind: 'reconnect',
      message: `${new URL(fake.url).host} does not answer as a Bluesky server.`,
    });
  });
});

describe('publish', () => {
  it('stores the record under the part’s token and returns its URL', async () => {
    const account = await connect();
    const bob = fake.addAccount('bob.test', PASSWORD);
    const head = part('🎉 hi @bob.test and @nobody.test. #bells https://example.com');

    const published = await bluesky.publish(sessionOf(account), head, io());

    const [post] = fake.posts();
    expect(published).toEqual({
      platformPostId: `at://${alice.did}/app.bsky.feed.post/${head.token}`,
      url: `https://bsky.app/profile/${alice.did}/post/${head.token}`,
      ref: { cid: post?.cid },
    });
    expect(post?.record).toEqual({
      $type: 'app.bsky.feed.post',
      text: head.text,
      createdAt: '2026-11-21T09:00:00.000Z',
      facets: [
        {
          index: { byteStart: 8, byteEnd: 17 },
          features: [{ $type: 'app.bsky.richtext.facet#mention', did: bob.did }],
        },
        { index: { byteStart: 36, byteEnd: 42 }, features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'bells' }] },
        {
          index: { byteStart: 43, byteEnd: 62 },
          features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.com' }],
        },
      ],
    });
  });

  it('posts nothing when it cannot resolve the handle of a mention', async () => {
    const account = await connect();
    const busy = {
      ...io(),
      fetch: (url: string | URL, init = {}) =>
        String(url).includes('resolveHandle')
          ? Promise.resolve(new Response('', { status: 502 }))
          : io().fetch(url, init),
    };

    expect(await failureOf(bluesky.publish(sessionOf(account), part('hi @bob.test'), busy))).toEqual({
      kind: 'unavailable',
      message: 'Bluesky answered HTTP 502.',
    });
    expect(fake.posts()).toEqual([]);
  });

  it('stores an unpaired surrogate as the replacement character, and finds the record', async () => {
    const account = await connect();
    const head = part('half \ud83c #bells');

    const published = await bluesky.publish(sessionOf(account), head, io());

    expect(fake.posts().map(({ record }) => record.text)).toEqual(['half \ufffd #bells']);
    expect(await lookFor(account, head)).toEqual(published);
  });

  it('resolves a handle once if it is mentioned twice', async () => {
    const account = await connect();

    await bluesky.publish(sessionOf(account), part('@bob.test @Bob.test'), io());

    expect(fake.calls['com.atproto.identity.resolveHandle']).toBe(1);
  });

  it('links replies to their parent and the head', async () => {
    const account = await connect();
    const session = sessionOf(account);
    const root = await bluesky.publish(session, part('one', '1'), io());
    const second = await bluesky.publish(session, part('two', '2', { step: 'reply', root, parent: root }), io());

    const more = { step: 'reply', index: 1, root, parent: second } as const;
    await bluesky.publish(session, part('three', '3', more), io());

    const ref = (post: typeof root) => ({ uri: post.platformPostId, cid: post.ref?.['cid'] });
    expect(fake.posts().map(({ record }) => record.reply)).toEqual([
      undefined,
      { root: ref(root), parent: ref(root) },
      { root: ref(root), parent: ref(second) },
    ]);
  });

  it('keeps one post when the response to the create call is lost and the call is repeated', async () => {
    const account = await connect();
    const head = part('once');
    fake.faults.push('drops_after');
    const first = await failureOf(bluesky.publish(sessionOf(account), head, io()));

    const repeated = await bluesky.publish(sessionOf(account), head, io());

    expect(first).toEqual({ kind: 'unknown', message: `${new URL(fake.url).host} did not answer completely.` });
    expect(fake.posts().map(({ uri }) => uri)).toEqual([repeated.platformPostId]);
    expect(puts()).toBe(2);
  });

  it('adopts its own post on a repeat although a mention now resolves differently', async () => {
    const account = await connect();
    const head = part('hi @bob.test');
    const first = await bluesky.publish(sessionOf(account), head, io());
    fake.addAccount('bob.test', PASSWORD);

    const repeated = await bluesky.publish(sessionOf(account), head, io());

    expect(repeated).toEqual(first);
    expect(fake.posts()).toHaveLength(1);
  });

  it('never overwrites another post that has the same key', async () => {
    const account = await connect();
    await bluesky.publish(sessionOf(account), part('mine'), io());

    const failure = await failureOf(bluesky.publish(sessionOf(account), part('yours'), io()));

    expect(failure.kind).toBe('unavailable');
    expect(fake.posts().map(({ record }) => record.text)).toEqual(['mine']);
  });

  it.each(['fails_after', 'drops_after'] as const)('finds the post when the call %s', async (fault) => {
    const account = await connect();
    const head = part('there');
    fake.faults.push(fault);

    const { kind } = await failureOf(bluesky.publish(sessionOf(account), head, io()));

    expect(kind).toBe('unknown');
    expect(await lookFor(account, head)).toEqual({
      platformPostId: `at://${alice.did}/app.bsky.feed.post/${head.token}`,
      url: `https://bsky.app/profile/${alice.did}/post/${head.token}`,
      ref: { cid: fake.posts()[0]?.cid },
    });
    expect(puts()).toBe(1);
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no post when the call %s', async (fault) => {
    const account = await connect();
    const head = part('not there');
    fake.faults.push(fault);

    const { kind } = await failureOf(bluesky.publish(sessionOf(account), head, io()));

    expect(kind).toBe('unknown');
    expect(await lookFor(account, head)).toBeNull();
    expect(fake.posts()).toEqual([]);
  });

  it('is unavailable when the server asks to wait', async () => {
    const account = await connect();
    fake.faults.push('rate_limited');

    expect(await failureOf(bluesky.publish(sessionOf(account), part('later'), io()))).toEqual({
      kind: 'unavailable',
      message: 'Bluesky answered HTTP 429, asking to wait 30 s; nothing was posted.',
    });
  });

  it('is unavailable when the server is down before anything was sent', async () => {
    const account = await connect();
    await fake.close();

    expect(await failureOf(bluesky.publish(sessionOf(account), part('gone'), io()))).toMatchObject({
      kind: 'unavailable',
    });
  });

  it('is rejected with the server’s message', async () => {
    const account = await connect();

    expect(await failureOf(bluesky.publish(sessionOf(account), part('x'.repeat(301)), io()))).toEqual({
      kind: 'rejected',
      message:
        'Bluesky refused: Invalid app.bsky.feed.post record: grapheme too big (maximum 300, got 301) at $.record.text',
    });
  });

  it('accepts 300 graphemes', async () => {
    const account = await connect();

    await bluesky.publish(sessionOf(account), part('é'.repeat(300)), io());

    expect(fake.posts()).toHaveLength(1);
  });
});

describe('an expired credential', () => {
  it('ended at the time that its access token states', async () => {
    const { credential } = await connect();
    const claims = (value: object) => `h.${Buffer.from(JSON.stringify(value)).toString('base64url')}.s`;
    const endOf = (accessJwt: string) => bluesky.renewal?.endsAt({ ...credential, accessJwt } as typeof credential);

    const ends = [claims({ exp: 1_800_000_000 }), claims({}), 'opaque'].map(endOf);

    expect(ends).toEqual([new Date(1_800_000_000_000), null, null]);
  });

  it('is renewed once for all parts that use it', async () => {
    const session = sessionOf(await connect());
    clock.advance(ACCESS_MS);

    await Promise.all(['one', 'two', 'three'].map((text) => bluesky.publish(session, part(text, text), io())));

    expect(fake.posts()).toHaveLength(3);
    expect(fake.calls).toMatchObject({
      'com.atproto.server.createSession': 1,
      'com.atproto.server.refreshSession': 1,
    });
  });

  it('is replaced by a new login when the refresh token is invalid too', async () => {
    const session = sessionOf(await connect());
    clock.advance(ACCESS_MS);
    fake.dropRefreshTokens();

    await bluesky.publish(session, part('hello'), io());

    expect(fake.posts()).toHaveLength(1);
    expect(fake.calls).toMatchObject({
      'com.atproto.server.createSession': 2,
      'com.atproto.server.refreshSession': 1,
    });
  });

  it('needs reconnecting when the app password is invalid as well', async () => {
    const session = sessionOf(await connect());
    clock.advance(ACCESS_MS);
    fake.dropRefreshTokens();
    alice.appPasswords.clear();

    expect(await failureOf(bluesky.publish(session, part('hello'), io()))).toEqual({
      kind: 'reconnect',
      message: 'Bluesky does not accept this credential: Invalid identifier or password',
    });
    expect(puts()).toBe(1);
  });

  it('needs reconnecting when a renewed token is not accepted either', async () => {
    const session = sessionOf(await connect());
    fake.faults.push('token_expired', 'token_expired');

    expect(await failureOf(bluesky.publish(session, part('hello'), io()))).toMatchObject({ kind: 'reconnect' });
    expect(puts()).toBe(2);
  });

  it('needs reconnecting when the account was deactivated', async () => {
    const session = sessionOf(await connect());
    alice.active = false;

    expect(await failureOf(bluesky.publish(session, part('hello'), io()))).toEqual({
      kind: 'reconnect',
      message: 'This Bluesky account is deactivated.',
    });
  });

  it('leaves no unknown outcome when it cannot be renewed at the moment', async () => {
    const session = sessionOf(await connect());
    clock.advance(ACCESS_MS);
    const offline = {
      ...io(),
      fetch: (url: string | URL, init = {}) =>
        String(url).includes('refreshSession') ? Promise.reject(new Error('reset')) : io().fetch(url, init),
    };

    expect(await failureOf(bluesky.publish(session, part('hello'), offline))).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a refresh with the response HTTP 503', () => {
  it('does not use up one of the limited logins per day', async () => {
    const session = sessionOf(await connect());
    clock.advance(ACCESS_MS);
    const busy = {
      ...io(),
      fetch: (url: string | URL, init = {}) =>
        String(url).includes('refreshSession')
          ? Promise.resolve(new Response('', { status: 503 }))
          : io().fetch(url, init),
    };

    expect(await failureOf(bluesky.publish(session, part('hello'), busy))).toEqual({
      kind: 'unavailable',
      message: 'Bluesky answered HTTP 503.',
    });
    expect(fake.calls['com.atproto.server.createSession']).toBe(1);
  });
});

describe('readBack', () => {
  it('cannot determine the outcome when the server does not answer', async () => {
    const account = await connect();
    const lost = { ...io(), fetch: () => Promise.resolve(new Response('<html>', { status: 200 })) };

    const call = bluesky.readBack?.(sessionOf(account), part('x'), lost) ?? Promise.reject(new Error('no readBack'));

    expect(await failureOf(call)).toEqual({
      kind: 'unknown',
      message: 'Bluesky could not be asked for the post: HTTP 200.',
    });
  });
});

describe('remove', () => {
  it('deletes a post, and succeeds again on a repeat', async () => {
    const account: ConnectedAccount<Account['credential']> = await connect();
    const session = sessionOf(account);
    const published = await bluesky.publish(session, part('short-lived'), io());

    await bluesky.remove?.(session, published, io());
    await bluesky.remove?.(session, published, io());

    expect(fake.posts()).toEqual([]);
  });

  it('renews an expired token', async () => {
    const session = sessionOf(await connect());
    const published = await bluesky.publish(session, part('short-lived'), io());
    clock.advance(ACCESS_MS);

    await bluesky.remove?.(session, published, io());

    expect(fake.posts()).toEqual([]);
  });
});

describe('makeTid', () => {
  it('makes a valid key, the same for the same seed and later for a later instant', () => {
    const at = new Date('2026-11-21T09:00:00.000Z');
    const keys = ['a', 'b'].map((seed) => makeTid(at, seed));

    for (const key of keys) expect(key).toMatch(/^[234567abcdefghij][234567abcdefghijklmnopqrstuvwxyz]{12}$/);
    expect(makeTid(at, 'a')).toBe(keys[0]);
    expect(keys[0]).not.toBe(keys[1]);
    for (const seed of ['a', 'b', 'c', 'd']) expect(makeTid(new Date(at.getTime() + 1), seed) > keys[0]!).toBe(true);
  });

  it('begins with the instant in microseconds', () => {
    const key = makeTid(new Date('2026-11-21T09:00:00.000Z'), 'a');

    let value = 0n;
    for (const digit of key) value = value * 32n + BigInt('234567abcdefghijklmnopqrstuvwxyz'.indexOf(digit));
    expect(new Date(Number((value >> 10n) / 1000n))).toEqual(new Date('2026-11-21T09:00:00.000Z'));
  });
});
