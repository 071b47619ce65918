import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fetch, PlatformApps, PlatformFailure, Published, SendPart } from '../../platforms/contract.ts';
import { x } from '../../platforms/x/index.ts';
import { type FakeX, type FakeXAccount, startFakeX } from './fakes/fake-x.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TOKEN = 'token-of-alice';
const APP = { clientId: 'carillon', clientSecret: 'secret' };

let clock: StoppedClock;
let fake: FakeX;
let alice: FakeXAccount;

beforeEach(async () => {
  clock = new StoppedClock();
  fake = await startFakeX({ now: clock.now, app: APP });
  alice = fake.addAccount('alice', TOKEN, 'refresh-1');
});

afterEach(() => fake.close());

const io = (app: PlatformApps['x'] = null) => testIo(clock.now, { X_API_URL: fake.url }, 10_000, { x: app });
const connect = (more: { refreshToken?: string; expiresAt?: string } = {}) =>
  x.connectAccount({ accessToken: TOKEN, ...more }, io());
const texts = () => fake.posts().map(({ text }) => text);
const remove = (session: Parameters<typeof x.publish>[0], published: Published, at = io()) =>
  x.remove?.(session, published, at) ?? Promise.reject(new Error('no remove'));

type Account = Awaited<ReturnType<typeof connect>>;

function part(text: string, token = 'attempt-1', more: Partial<SendPart> = {}): SendPart {
  return { ...headPart(text, token, clock.now()), ...more };
}

/** Recovers a part whose response was lost, as the app does. */
function lookFor(account: Account, lost: SendPart): Promise<Published | PlatformFailure | null> {
  return x.readBack?.(sessionOf(account), lost, io()) ?? Promise.reject(new Error('no readBack'));
}

describe('credentials', () => {
  it.each([
    [{ accessToken: 'x' }, true],
    [{ accessToken: 'x', refreshToken: 'y', expiresAt: '2026-12-01T09:00:00Z' }, true],
    [{ accessToken: ' ' }, false],
    [{}, false],
    [{ accessToken: 'x', expiresAt: 'tomorrow' }, false],
    [{ accessToken: 'x', secret: 'y' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(x.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the account under its username', async () => {
    expect(await connect({ refreshToken: 'refresh-1', expiresAt: '2026-11-21T11:00:00Z' })).toEqual({
      platformAccountId: alice.id,
      handle: 'alice',
      credential: { accessToken: TOKEN, refreshToken: 'refresh-1', expiresAt: '2026-11-21T11:00:00Z' },
    });
  });

  it('refuses an unknown token', async () => {
    alice.accessTokens.clear();

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'X does not accept this credential: Unauthorized',
    });
  });

  it.each([
    [
      'a token of the wrong kind',
      403,
      { type: 'https://api.x.com/2/problems/unsupported-authentication' },
      'reconnect',
    ],
    ['an app that may not', 403, { type: 'https://api.x.com/2/problems/client-forbidden' }, 'unavailable'],
    ['JSON of somebody else', 200, { hello: 1 }, 'unavailable'],
    ['an outage', 503, {}, 'unavailable'],
  ])('handles %s', async (_case, status, json, kind) => {
    fake.answers['GET /2/users/me'] = [{ status, json }];

    expect(await failureOf(connect())).toMatchObject({ kind });
  });

  it('is unavailable when X cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('publish', () => {
  it('posts and returns the URL', async () => {
    const published = await x.publish(sessionOf(await connect()), part('hello #bells'), io());

    const [post] = fake.posts();
    expect(published).toEqual({ platformPostId: post?.id, url: `https://x.com/alice/status/${post?.id}` });
    expect(post).toMatchObject({ text: 'hello #bells', parentId: null, mediaIds: [] });
  });

  it('links replies to their parent', async () => {
    const session = sessionOf(await connect());
    const root = await x.publish(session, part('one', '1'), io());
    const parent = await x.publish(session, part('two', '2', { step: 'reply', root, parent: root }), io());

    await x.publish(session, part('three', '3', { step: 'reply', index: 1, root, parent }), io());

    expect(fake.posts().map(({ parentId }) => parentId)).toEqual([null, root.platformPostId, parent.platformPostId]);
  });

  it('is rejected with X’s message when the same text was posted before', async () => {
    const session = sessionOf(await connect());
    await x.publish(session, part('once', '1'), io());

    expect(await failureOf(x.publish(session, part('once', '2'), io()))).toEqual({
      kind: 'rejected',
      message: 'X refused: You are not allowed to create a Tweet with duplicate content.',
    });
    expect(texts()).toEqual(['once']);
  });

  it.each([
    ['too long a text', 'x'.repeat(281)],
    ['a second cashtag', '$ABC and $DEF'],
  ])('is rejected for %s', async (_case, text) => {
    const session = sessionOf(await connect());

    expect(await failureOf(x.publish(session, part(text), io()))).toEqual({
      kind: 'rejected',
      message: 'X refused: You are not permitted to perform this action.',
    });
  });

  it('is rejected when the parent of a reply no longer exists', async () => {
    const session = sessionOf(await connect());
    const parent = { platformPostId: '404', url: null };

    const call = x.publish(session, part('two', '2', { step: 'reply', root: parent, parent }), io());

    expect(await failureOf(call)).toMatchObject({ kind: 'rejected' });
  });

  it.each([
    ['used-up credits', 402, { title: 'CreditsDepleted', detail: 'No credits.' }, 'unavailable', 'No credits.'],
    [
      'a monthly cap',
      403,
      { type: 'https://x/problems/usage-capped', title: 'UsageCapExceeded' },
      'unavailable',
      'Usage',
    ],
    ['too many posts', 429, { title: 'Too Many Requests' }, 'unavailable', 'HTTP 429'],
    ['a suspended account', 403, { detail: 'Your account is suspended.' }, 'rejected', 'is suspended'],
    [
      'a missing scope',
      403,
      { detail: 'Forbidden', type: 'about:blank' },
      'reconnect',
      'does not accept this credential',
    ],
    ['errors in the old form', 400, { errors: [{ message: 'Bad text.' }] }, 'rejected', 'X refused: Bad text.'],
    ['a refusal without words', 400, {}, 'rejected', 'X refused: HTTP 400'],
    ['success without a post', 200, { errors: [{ title: 'Not sure' }] }, 'unknown', 'without the post'],
    ['a failure', 503, {}, 'unknown', 'HTTP 503'],
  ])('handles %s', async (_case, status, json, kind, message) => {
    const session = sessionOf(await connect());
    fake.answers['POST /2/tweets'] = [{ status, json }];

    expect(await failureOf(x.publish(session, part('hello'), io()))).toEqual({
      kind,
      message: expect.stringContaining(message) as string,
    });
    expect(texts()).toEqual([]);
  });

  const inSeconds = (seconds: number) => String(clock.now().getTime() / 1_000 + seconds);
  it.each<[string, () => Record<string, string>, number]>([
    ['nothing', () => ({}), 60],
    ['15 minutes', () => ({ 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': inSeconds(900) }), 900],
    [
      'the day of the account',
      () => ({
        'x-rate-limit-remaining': '99',
        'x-rate-limit-reset': inSeconds(900),
        'x-user-limit-24hour-remaining': '0',
        'x-user-limit-24hour-reset': inSeconds(36_000),
      }),
      36_000,
    ],
    [
      'the day of the app, and not that of the account',
      () => ({
        'x-rate-limit-reset': inSeconds(900),
        'x-app-limit-24hour-remaining': '0',
        'x-app-limit-24hour-reset': inSeconds(7_200),
        'x-user-limit-24hour-remaining': '12',
        'x-user-limit-24hour-reset': inSeconds(36_000),
      }),
      7_200,
    ],
    [
      'a day that has just ended',
      () => ({ 'x-user-limit-24hour-remaining': '0', 'x-user-limit-24hour-reset': inSeconds(-1) }),
      60,
    ],
  ])('waits for the limit that is used up: %s', async (_case, headers, seconds) => {
    const session = sessionOf(await connect());
    fake.answers['POST /2/tweets'] = [{ status: 429, json: { title: 'Too Many Requests' }, headers: headers() }];

    await expect(x.publish(session, part('hello'), io())).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs: seconds * 1_000,
    });
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no post when the call %s', async (fault) => {
    const account = await connect();
    const head = part('not there');
    fake.faults.push(fault);

    const { kind } = await failureOf(x.publish(sessionOf(account), head, io()));

    expect(kind).toBe('unknown');
    expect(await lookFor(account, head)).toBeNull();
  });

  it.each(['fails_after', 'drops_after'] as const)('finds the post when the call %s', async (fault) => {
    const account = await connect();
    const head = part('there <b> & "so" https://example.com/a?x=1&y=2, example.org\n\nnew\nline');
    fake.faults.push(fault);

    const { kind } = await failureOf(x.publish(sessionOf(account), head, io()));
    clock.advance(40_000);

    const [post] = fake.posts();
    expect(kind).toBe('unknown');
    expect(await lookFor(account, head)).toEqual({
      platformPostId: post?.id,
      url: `https://x.com/alice/status/${post?.id}`,
    });
  });
});

describe('readBack', () => {
  it('requests few posts, and for a reply only those after its parent', async () => {
    const account = await connect();
    const root = await x.publish(sessionOf(account), part('one', '1'), io());

    await lookFor(account, part('lost', '2'));
    await lookFor(account, part('lost', '3', { step: 'reply', root, parent: root }));

    expect(fake.listed.map((query) => Object.fromEntries(query))).toEqual([
      { max_results: '10', start_time: '2026-11-21T08:59:00Z', 'tweet.fields': 'entities,referenced_tweets' },
      { max_results: '10', since_id: root.platformPostId, 'tweet.fields': 'entities,referenced_tweets' },
    ]);
  });

  it('finds a reply under its parent, and a post by its text without the link of its images', async () => {
    const account = await connect();
    const session = sessionOf(account);
    const image = { mediaId: 'm', bytes: Buffer.from('a'), contentType: 'image/png', width: 1, height: 1, altText: '' };
    const lost = part('one', '1', { prepared: (await x.prepare?.(session, [image], io())) ?? null });
    const root = await x.publish(session, lost, io());
    const lostReply = part('two', '2', { step: 'reply', root, parent: root });
    const reply = await x.publish(session, lostReply, io());

    expect(await lookFor(account, lost)).toEqual(root);
    expect(await lookFor(account, lostReply)).toEqual(reply);
  });

  it('does not match an older post, one with another text or one at another place', async () => {
    const account = await connect();
    await x.publish(sessionOf(account), part('good morning', '1'), io());
    clock.advance(61_000);
    const root = await x.publish(sessionOf(account), part('same', '2'), io());

    expect(await lookFor(account, part('good morning', '3'))).toBeNull();
    expect(await lookFor(account, part('another', '4'))).toBeNull();
    expect(await lookFor(account, part('same', '5', { step: 'reply', root, parent: root }))).toBeNull();
  });

  it('cannot determine the outcome when the account has more new posts than one list', async () => {
    const account = await connect();
    const lost = part('buried');
    for (let index = 0; index < 10; index += 1) await x.publish(sessionOf(account), part(`${index}`), io());

    expect(await failureOf(lookFor(account, lost))).toEqual({
      kind: 'unknown',
      message: 'The account has more new posts than Carillon asks X for.',
    });
  });

  it.each([
    ['a dead token', 401, { title: 'Unauthorized' }, 'reconnect'],
    ['an outage', 503, {}, 'unknown'],
    ['errors beside the posts', 200, { data: [], errors: [{ title: 'Partial' }] }, 'unknown'],
    ['JSON of somebody else', 200, { data: 'none' }, 'unknown'],
  ])('cannot determine the outcome with %s', async (_case, status, json, kind) => {
    const account = await connect();
    fake.answers['GET /2/users/:id/tweets'] = [{ status, json }];

    expect(await failureOf(lookFor(account, part('x')))).toMatchObject({ kind });
  });
});

describe('remove', () => {
  it('deletes a post, and succeeds again on a repeat', async () => {
    const session = sessionOf(await connect());
    const published = await x.publish(session, part('short-lived'), io());

    await remove(session, published);
    await remove(session, published);

    expect(texts()).toEqual([]);
    expect(fake.calls['DELETE /2/tweets/:id']).toBe(2);
  });

  it('keeps the posts of others', async () => {
    fake.addAccount('bob', 'token-of-bob');
    const bob = sessionOf(await x.connectAccount({ accessToken: 'token-of-bob' }, io()));
    const published = await x.publish(bob, part('mine'), io());

    expect(await failureOf(remove(sessionOf(await connect()), published))).toMatchObject({ kind: 'rejected' });
    expect(texts()).toEqual(['mine']);
  });

  it('is unavailable when X fails', async () => {
    const session = sessionOf(await connect());
    fake.answers['DELETE /2/tweets/:id'] = [{ status: 500, json: {} }];

    expect(await failureOf(remove(session, { platformPostId: '19', url: null }))).toMatchObject({
      kind: 'unavailable',
    });
  });
});

describe('an expired credential', () => {
  const renewals = () => fake.calls['POST /2/oauth2/token'] ?? 0;

  it('is renewed once when X refuses it, and the call is repeated', async () => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();

    await x.publish(session, part('one', '1'), io(APP));
    await x.publish(session, part('two', '2'), io(APP));

    expect(texts()).toEqual(['one', 'two']);
    expect(renewals()).toBe(1);
  });

  it('is renewed before the call when it is known to have expired', async () => {
    const account = await connect({ refreshToken: 'refresh-1', expiresAt: '2026-11-21T11:00:00Z' });
    const session = sessionOf(account);
    clock.advance(2 * 60 * 60_000);

    await x.publish(session, part('one'), io(APP));

    expect(fake.calls['POST /2/tweets']).toBe(1);
    expect(await session.renew(() => Promise.reject(new Error('renewed already')))).toEqual({
      accessToken: [...alice.accessTokens][0],
      refreshToken: [...alice.refreshTokens][0],
      expiresAt: '2026-11-21T13:00:00.000Z',
      issuedAt: '2026-11-21T11:00:00.000Z',
    });
  });

  it.each([
    ['that is known to have expired', '2026-11-21T11:00:00Z', 0],
    ['that X refuses', undefined, 1],
  ])('is renewed by a refresh that outlasts the call, which is not made: one %s', async (_case, expiresAt, calls) => {
    const account = await connect({ refreshToken: 'refresh-1', ...(expiresAt !== undefined && { expiresAt }) });
    const session = sessionOf(account);
    clock.advance(2 * 60 * 60_000);
    alice.accessTokens.clear();
    const late = new AbortController();
    const slow: Fetch = async (url, init = {}) => {
      // The time of the call ends while X refreshes the token.
      if (String(url).endsWith('/2/oauth2/token')) late.abort();
      init.signal?.throwIfAborted();
      return io(APP).fetch(url, init);
    };

    const sent = x.publish(session, part('one'), { ...io(APP), fetch: slow, signal: late.signal });

    expect(await failureOf(sent)).toMatchObject({ kind: 'unavailable' });
    expect([fake.calls['POST /2/tweets'] ?? 0, renewals()]).toEqual([calls, 1]);
    expect(await session.renew(() => Promise.reject(new Error('renewed already')))).toMatchObject({
      refreshToken: [...alice.refreshTokens][0],
    });
  });

  it('is renewed by an app without a secret', async () => {
    await fake.close();
    fake = await startFakeX({ now: clock.now, app: { clientId: 'open' } });
    alice = fake.addAccount('alice', TOKEN, 'refresh-1');
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();

    await x.publish(session, part('one'), io({ clientId: 'open', clientSecret: undefined }));

    expect(texts()).toEqual(['one']);
  });

  it.each([
    ['without an app', 'refresh-1', null],
    ['without a refresh token', undefined, APP],
  ])('needs reconnecting %s', async (_case, refreshToken, app) => {
    const session = sessionOf(await connect(refreshToken === undefined ? {} : { refreshToken }));
    alice.accessTokens.clear();

    expect(await failureOf(x.publish(session, part('one'), io(app)))).toMatchObject({ kind: 'reconnect' });
    expect(renewals()).toBe(0);
  });

  it('needs reconnecting when the refresh token was already used', async () => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();
    alice.refreshTokens.clear();

    expect(await failureOf(x.publish(session, part('one'), io(APP)))).toEqual({
      kind: 'reconnect',
      message: 'X no longer renews this credential: connect the account again.',
    });
  });

  it.each([
    ['does not know the app', 401, { error: 'invalid_client' }],
    ['fails', 503, {}],
    ['asks to wait', 429, {}],
    ['answers without a token', 200, { access_token: '' }],
  ])('is unavailable when X %s', async (_case, status, json) => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();
    fake.answers['POST /2/oauth2/token'] = [{ status, json }];

    expect(await failureOf(x.publish(session, part('one'), io(APP)))).toMatchObject({ kind: 'unavailable' });
    expect(texts()).toEqual([]);
  });
});
