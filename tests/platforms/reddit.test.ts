import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, OutgoingImage, PlatformApps, PlatformIo, Published, SendPart } from '../../platforms/contract.ts';
import { reddit } from '../../platforms/reddit/index.ts';
import { type FakeReddit, type FakeRedditAccount, refusal, startFakeReddit } from './fakes/fake-reddit.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TOKEN = 'token-of-alice';
const APP = { clientId: 'our-app', clientSecret: 'our-secret' };
const IMAGE: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
};

let clock: StoppedClock;
let fake: FakeReddit;
let alice: FakeRedditAccount;
/** The waits that the adapter requested, in order. */
let waits: number[];

beforeEach(async () => {
  clock = new StoppedClock();
  waits = [];
  fake = await startFakeReddit({ now: clock.now, app: APP });
  fake.addCommunity('Bells');
  alice = fake.addAccount('alice', TOKEN, 'refresh-1');
});

afterEach(() => fake.close());

function io(app: PlatformApps['reddit'] = null): PlatformIo {
  const endpoints = { REDDIT_API_URL: fake.url, REDDIT_AUTH_URL: fake.url };
  const apps = { x: null, linkedin: null, reddit: app, meta: null };
  return { ...testIo(clock.now, endpoints, 10_000, apps), sleep: async (ms) => void waits.push(ms) };
}

const connect = (more: { subreddit?: string; refreshToken?: string; expiresAt?: string } = {}) =>
  reddit.connectAccount({ accessToken: TOKEN, ...more }, io());
const own = async () => sessionOf(await connect());
const community = async () => sessionOf(await connect({ subreddit: 'bells' }));
type Session = Awaited<ReturnType<typeof own>>;

const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, 'attempt-1', clock.now()),
  ...more,
});
const lookFor = (session: Session, lost: SendPart) =>
  reddit.readBack?.(session, lost, io()) ?? Promise.reject(new Error('no readBack'));
const remove = (session: Session, published: Published) =>
  reddit.remove?.(session, published, io()) ?? Promise.reject(new Error('no remove'));
const prepare = async (session: Session): Promise<Json> => (await reddit.prepare?.(session, [IMAGE], io())) ?? null;

describe('credentials', () => {
  it.each([
    [{ accessToken: 'x' }, { accessToken: 'x' }],
    [
      { accessToken: 'x', refreshToken: 'y', expiresAt: '2026-12-01T09:00:00Z', subreddit: 'r/Bells' },
      { accessToken: 'x', refreshToken: 'y', expiresAt: '2026-12-01T09:00:00Z', subreddit: 'Bells' },
    ],
    [
      { accessToken: 'x', subreddit: '/r/bells_2' },
      { accessToken: 'x', subreddit: 'bells_2' },
    ],
    [{ accessToken: ' ' }, undefined],
    [{ accessToken: 'x', subreddit: 'b' }, undefined],
    [{ accessToken: 'x', subreddit: '_bells' }, undefined],
    [{ accessToken: 'x', subreddit: 'bells/../../api/v1/me' }, undefined],
    [{ accessToken: 'x', subreddit: 'b'.repeat(22) }, undefined],
    [{ accessToken: 'x', community: 'bells' }, undefined],
  ])('reads %j as %j', (input, read) => {
    expect(reddit.credentials.safeParse(input).data).toEqual(read);
  });
});

describe('connectAccount', () => {
  it('returns the account, with its own profile as the destination', async () => {
    expect(await connect({ refreshToken: 'refresh-1' })).toEqual({
      platformAccountId: `t2_${alice.id}`,
      handle: 'alice',
      credential: {
        accessToken: TOKEN,
        refreshToken: 'refresh-1',
        expiresAt: null,
        username: 'alice',
        target: 'u_alice',
      },
    });
  });

  it('returns a community under its name as a separate account', async () => {
    const { platformAccountId, handle, credential } = await connect({ subreddit: 'bells' });

    expect([platformAccountId, handle, credential.target]).toEqual([`t2_${alice.id}/r/bells`, 'r/Bells', 'Bells']);
  });

  it.each([
    ['that is not there', { status: 302, text: '' }, 'Reddit shows this account no community r/bells.'],
    ['that is shut', { status: 403, json: { reason: 'private' } }, 'Reddit shows this account no community r/bells.'],
    ['that is none', { status: 200, json: { kind: 'Listing', data: {} } }, 'no community r/bells.'],
  ])('refuses a community %s', async (_case, answer, message) => {
    fake.answers['GET /r/:name/about'] = [answer];

    expect(await failureOf(connect({ subreddit: 'bells' }))).toEqual({
      kind: 'rejected',
      message: expect.stringContaining(message) as string,
    });
  });

  it('refuses a community that has banned the account', async () => {
    alice.bannedFrom.add('Bells');

    expect(await failureOf(connect({ subreddit: 'bells' }))).toEqual({
      kind: 'rejected',
      message: 'The account is banned from r/bells; choose another community.',
    });
  });

  it('refuses an unknown token', async () => {
    alice.accessTokens.clear();

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'Reddit does not accept this credential: Unauthorized',
    });
  });

  it.each([
    ['JSON of somebody else', { status: 200, json: { hello: 1 } }, 'unavailable'],
    ['an outage', { status: 503, json: {} }, 'unavailable'],
    [
      'a missing scope',
      { status: 403, json: {}, headers: { 'www-authenticate': 'Bearer error="insufficient_scope"' } },
      'reconnect',
    ],
  ])('handles %s', async (_case, answer, kind) => {
    fake.answers['GET /api/v1/me'] = [answer];

    expect(await failureOf(connect())).toMatchObject({ kind });
  });

  it('uses a unique user agent', async () => {
    await connect();
    const without = fake.lastCalls['GET /api/v1/me']?.headers['user-agent'];
    await reddit.connectAccount({ accessToken: TOKEN }, io(APP));

    expect([without, fake.lastCalls['GET /api/v1/me']?.headers['user-agent']]).toEqual([
      'web:carillon.localhost:3000:v1 (+http://localhost:3000)',
      'web:carillon.our-app@localhost:3000:v1 (+http://localhost:3000)',
    ]);
  });
});

describe('publish', () => {
  it('makes the first line the title and the rest the text, and returns the URL', async () => {
    const published = await reddit.publish(await own(), part('Bells are *loud*\n\nThey *are*.\nTruly'), io());

    const [post] = fake.posts();
    expect(post).toMatchObject({
      subreddit: 'u_alice',
      kind: 'self',
      title: 'Bells are *loud*',
      selftext: 'They \\*are\\*.  \nTruly',
    });
    expect(published).toEqual({
      platformPostId: post?.name,
      url: `https://www.reddit.com/r/u_alice/comments/${post?.name.slice(3)}/bells_are_loud_/`,
    });
  });

  it('posts to a community', async () => {
    await reddit.publish(await community(), part('Hello'), io());

    expect(fake.posts()).toMatchObject([{ subreddit: 'Bells', title: 'Hello', selftext: '' }]);
  });

  it('makes a link post of a text that is one URL', async () => {
    await reddit.publish(await community(), part(' https://bells.example/a_b?c=*d* \n'), io());

    const address = 'https://bells.example/a_b?c=*d*';
    expect(fake.posts()).toMatchObject([{ kind: 'link', title: address, url: address }]);
  });

  it.each([
    [
      'waits as long as it is told',
      refusal('RATELIMIT', 'Take a break for 9 minutes before trying again.', 'ratelimit', { ratelimit: 540.5 }),
      540_500,
    ],
    ['reads how long from the words', refusal('RATELIMIT', 'Take a break for 9 minutes.', 'ratelimit'), 540_000],
    [
      'waits an hour',
      refusal('QUOTA_FILLED', 'Too many links recently. Please try again in an hour.', 'url'),
      3_600_000,
    ],
    ['waits a minute where nothing is said', refusal('RATELIMIT', 'Later.', 'ratelimit'), 60_000],
    ['reads the header of a 429', { status: 429, json: {}, headers: { 'x-ratelimit-reset': '297' } }, 297_000],
    ['waits a minute after a bare 429', { status: 429, json: {} }, 60_000],
  ])('%s when it posts too much', async (_case, answer, retryAfterMs) => {
    const session = await own();
    fake.answers['POST /api/submit'] = [answer];

    await expect(reddit.publish(session, part('hello'), io())).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs,
      message: expect.stringContaining('nothing was posted') as string,
    });
  });

  it.each([
    ['SUBREDDIT_NOTALLOWED', 'rejected', 'Reddit refused: words (SUBREDDIT_NOTALLOWED)'],
    ['NO_SELFS', 'rejected', 'Reddit refused: words (NO_SELFS)'],
    ['SUBMIT_VALIDATION_FLAIR_REQUIRED', 'rejected', 'SUBMIT_VALIDATION_FLAIR_REQUIRED'],
    ['USER_REQUIRED', 'reconnect', 'Reddit does not accept this credential: words (USER_REQUIRED)'],
  ])('handles %s, which has a success status', async (code, kind, message) => {
    const session = await own();
    fake.answers['POST /api/submit'] = [refusal(code, 'words', 'sr')];

    expect(await failureOf(reddit.publish(session, part('hello'), io()))).toEqual({
      kind,
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    ['a ban', { status: 403, json: { message: 'Forbidden', reason: 'banned' } }, 'rejected', 'Forbidden: banned'],
    [
      'a rule of the community',
      { status: 400, json: { explanation: 'Not in your title.', message: 'Bad Request', reason: 'SUBMIT_X' } },
      'rejected',
      'Reddit refused: Not in your title.',
    ],
    ['a refusal without words', { status: 400, text: '' }, 'rejected', 'Reddit refused: HTTP 400'],
    ['a text of a proxy', { status: 404, text: '404 page not found' }, 'unknown', 'HTTP 404'],
    ['a page of a proxy', { status: 403, text: '<!DOCTYPE html>' }, 'unknown', 'HTTP 403'],
    ['a redirect', { status: 302, text: '' }, 'unknown', 'HTTP 302'],
    ['a failure', { status: 503, json: {} }, 'unknown', 'HTTP 503'],
    ['success without a post', { status: 200, json: { json: { errors: [] } } }, 'unknown', 'without the post it made'],
    ['JSON of somebody else', { status: 200, json: [] }, 'unknown', 'without the post it made'],
  ])('handles %s', async (_case, answer, kind, message) => {
    const session = await own();
    fake.answers['POST /api/submit'] = [answer];

    expect(await failureOf(reddit.publish(session, part('hello'), io()))).toEqual({
      kind,
      message: expect.stringContaining(message) as string,
    });
    expect(fake.posts()).toEqual([]);
  });
});

describe('an image', () => {
  it('is uploaded and referenced by the post, and the post is found among the account’s posts', async () => {
    const session = await community();

    const prepared = await prepare(session);
    const published = await reddit.publish(session, part('Look\n\nA *bell*', { prepared }), io());

    const [key, upload] = [...fake.uploads][0] ?? [];
    expect(upload).toEqual({ bytes: Buffer.from('a picture'), type: 'image/png' });
    expect(prepared).toEqual({ imageUrl: `${fake.url}/storage/${key}` });
    const [post] = fake.posts();
    expect(post).toMatchObject({ kind: 'image', title: 'Look', selftext: 'A \\*bell\\*', subreddit: 'Bells' });
    expect(published).toEqual({
      platformPostId: post?.name,
      url: `https://www.reddit.com/r/Bells/comments/${post?.name.slice(3)}/look/`,
      isFound: true,
    });
  });

  it('is awaited while Reddit creates the post', async () => {
    fake.looksUntilMade = 3;
    const session = await own();

    const published = await reddit.publish(session, part('Look', { prepared: await prepare(session) }), io());

    expect([waits, published.platformPostId]).toEqual([[1_000, 2_000, 2_000, 3_000], fake.posts()[0]?.name]);
  });

  it('has an unknown outcome when Reddit does not show the post, also on a later read-back', async () => {
    fake.looksUntilMade = Infinity;
    const session = await own();
    const lost = part('Look', { prepared: await prepare(session) });
    const expected = {
      kind: 'unknown',
      message: 'Reddit has taken a post with an image and does not show it yet.',
    };

    expect(await failureOf(reddit.publish(session, lost, io()))).toEqual(expected);
    expect(await failureOf(lookFor(session, lost))).toEqual(expected);
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(20_000);
  });

  it.each([
    ['POST /api/media/asset.json', { status: 500, json: {} }, 'unavailable'],
    ['POST /api/media/asset.json', { status: 200, json: { args: {} } }, 'unavailable'],
    ['POST /api/media/asset.json', { status: 401, json: {} }, 'reconnect'],
    ['POST /api/media/asset.json', { status: 400, json: { message: 'Bad Request' } }, 'rejected'],
    ['POST /storage', { status: 403, text: '<Error/>' }, 'unavailable'],
  ])('is handled when %s answers %j', async (route, answer, kind) => {
    const session = await own();
    fake.answers[route] = [answer];

    expect(await failureOf(prepare(session))).toMatchObject({ kind });
  });
});

describe('readBack', () => {
  const texts = [
    ['a title alone', 'there'],
    ['a text with signs', 'there & <b>\n\n1. *one*\n    code_ https://bells.example/a_b_c'],
    ['an address', 'https://bells.example/?a=1&b=2'],
    ['an address whose host Reddit stores in ASCII', 'https://glöckchen.example/läuten'],
    ['a title that was cut', `${'long '.repeat(80)}\nand more`],
  ] as const;

  it.each(texts)('finds %s after a lost response', async (_case, text) => {
    const session = await community();
    fake.faults.push('drops_after');

    const { kind } = await failureOf(reddit.publish(session, part(text), io()));
    clock.advance(40_000);

    expect(kind).toBe('unknown');
    const lost = { ...part(text), startedAt: new Date(clock.now().getTime() - 40_000) };
    expect(await lookFor(session, lost)).toMatchObject({ platformPostId: fake.posts()[0]?.name });
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no post when the call %s', async (fault) => {
    const session = await own();
    fake.faults.push(fault);

    const { kind } = await failureOf(reddit.publish(session, part('not there'), io()));

    expect([kind, await lookFor(session, part('not there'))]).toEqual(['unknown', null]);
  });

  it('does not match another post', async () => {
    const [session, elsewhere] = [await own(), await community()];
    await reddit.publish(session, part('good morning'), io());
    clock.advance(61_000);
    await reddit.publish(session, part('title\none'), io());
    await reddit.publish(elsewhere, part('elsewhere'), io());

    for (const text of ['good morning', 'title\ntwo', 'title', 'elsewhere']) {
      expect(await lookFor(session, part(text))).toBeNull();
    }
  });

  it('cannot determine the outcome when the account has more new posts than one list', async () => {
    const session = await own();
    for (let index = 0; index < 50; index += 1) await reddit.publish(session, part(`${index}`), io());

    expect(await failureOf(lookFor(session, part('buried')))).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['a dead token', { status: 401, json: {} }, 'reconnect'],
    ['an outage', { status: 503, json: {} }, 'unknown'],
    ['JSON of somebody else', { status: 200, json: { data: 1 } }, 'unknown'],
  ])('cannot determine the outcome with %s', async (_case, answer, kind) => {
    const session = await own();
    fake.answers['GET /user/:name/submitted'] = [answer];

    expect(await failureOf(lookFor(session, part('x')))).toMatchObject({ kind });
  });
});

describe('remove', () => {
  it('deletes a post, and succeeds again on a repeat', async () => {
    const session = await own();
    const published = await reddit.publish(session, part('short-lived'), io());

    await remove(session, published);
    await remove(session, published);

    expect([fake.posts(), fake.calls['POST /api/del']]).toEqual([[], 2]);
  });

  it('reports a post that still exists although Reddit accepted the delete', async () => {
    fake.addAccount('bob', 'token-of-bob');
    const bob = sessionOf(await reddit.connectAccount({ accessToken: 'token-of-bob' }, io()));
    const published = await reddit.publish(bob, part('not hers'), io());

    expect(await failureOf(remove(await own(), published))).toEqual({
      kind: 'rejected',
      message: 'Reddit took the delete, and still shows the post.',
    });
  });

  it.each([
    ['POST /api/del', { status: 500, json: {} }, 'unavailable'],
    ['GET /api/info', { status: 500, json: {} }, 'unavailable'],
    ['GET /api/info', { status: 200, json: {} }, 'unavailable'],
    ['POST /api/del', { status: 200, json: { json: { errors: [['USER_REQUIRED', 'log in']] } } }, 'reconnect'],
  ])('handles the response of %s: %j', async (route, answer, kind) => {
    const session = await own();
    fake.answers[route] = [answer];

    expect(await failureOf(remove(session, { platformPostId: 't3_x', url: null }))).toMatchObject({ kind });
  });
});

describe('an expired credential', () => {
  const renewals = () => fake.calls['POST /api/v1/access_token'] ?? 0;

  it('is renewed once when Reddit refuses it, and the call is repeated', async () => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();

    await reddit.publish(session, part('one'), io(APP));
    await reddit.publish(session, part('two'), io(APP));

    expect([fake.posts().map(({ title }) => title), renewals()]).toEqual([['one', 'two'], 1]);
  });

  it('is renewed before the call when its expiry is known, and keeps its destination', async () => {
    const expiresAt = new Date(clock.now().getTime() + 3_600_000).toISOString();
    const session = sessionOf(await connect({ refreshToken: 'refresh-1', expiresAt, subreddit: 'bells' }));
    clock.advance(3_600_000 - 5 * 60_000);

    await reddit.publish(session, part('one'), io(APP));

    expect([fake.calls['POST /api/submit'], renewals()]).toEqual([1, 1]);
    expect(await session.renew(() => Promise.reject(new Error('renewed already')))).toEqual({
      accessToken: [...alice.accessTokens].at(-1),
      refreshToken: 'refresh-1',
      expiresAt: new Date(clock.now().getTime() + 86_400_000).toISOString(),
      issuedAt: clock.now().toISOString(),
      username: 'alice',
      target: 'Bells',
    });
  });

  it.each([
    ['without an app', 'refresh-1', null],
    ['without a refresh token', undefined, APP],
  ])('needs reconnecting %s', async (_case, refreshToken, app) => {
    const session = sessionOf(await connect(refreshToken === undefined ? {} : { refreshToken }));
    alice.accessTokens.clear();

    const { kind } = await failureOf(reddit.publish(session, part('one'), io(app)));

    expect([kind, renewals()]).toEqual(['reconnect', 0]);
  });

  it.each([
    ['400', { status: 400, json: { message: 'Bad Request', error: 400 } }],
    ['200', { status: 200, json: { error: 'invalid_grant' } }],
  ])('needs reconnecting when the refresh token was revoked, which Reddit reports with %s', async (_case, answer) => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();
    fake.answers['POST /api/v1/access_token'] = [answer];

    expect(await failureOf(reddit.publish(session, part('one'), io(APP)))).toEqual({
      kind: 'reconnect',
      message: 'Reddit no longer renews this credential: connect the account again.',
    });
  });

  it.each([
    ['does not know the app', { status: 401, json: {} }],
    ['fails', { status: 503, json: {} }],
    ['asks to wait', { status: 429, json: {} }],
    ['answers without a token', { status: 200, json: { access_token: '' } }],
  ])('is unavailable when Reddit %s', async (_case, answer) => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();
    fake.answers['POST /api/v1/access_token'] = [answer];

    expect(await failureOf(reddit.publish(session, part('one'), io(APP)))).toMatchObject({ kind: 'unavailable' });
    expect(fake.posts()).toEqual([]);
  });
});
