import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, OutgoingImage, PlatformApps, PlatformIo, Published, SendPart } from '../../platforms/contract.ts';
import { linkedin } from '../../platforms/linkedin/index.ts';
import { duplicate, type FakeLinkedIn, type FakeMember, startFakeLinkedIn } from './fakes/fake-linkedin.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const TOKEN = 'token-of-alice';
const PAGE = '2414183';
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
let fake: FakeLinkedIn;
let alice: FakeMember;
/** The waits that the adapter requested, in order. */
let waits: number[];

beforeEach(async () => {
  clock = new StoppedClock();
  waits = [];
  fake = await startFakeLinkedIn({ now: clock.now, app: APP });
  alice = fake.addMember('a1B2', 'Alice Bell', TOKEN, 'refresh-1');
  alice.roles.set(PAGE, 'ADMINISTRATOR');
  fake.addPage(PAGE, 'The Bells', 'the-bells');
});

afterEach(() => fake.close());

function io(app: PlatformApps['linkedin'] = null): PlatformIo {
  const endpoints = { LINKEDIN_API_URL: fake.url, LINKEDIN_AUTH_URL: fake.url };
  const apps = { x: null, linkedin: app, reddit: null, meta: null };
  return { ...testIo(clock.now, endpoints, 10_000, apps), sleep: async (ms) => void waits.push(ms) };
}

/** The time of the send is over as soon as the adapter waits. */
function ioWithoutWaits(): PlatformIo {
  return { ...io(), sleep: () => Promise.reject(new DOMException('This operation was aborted', 'AbortError')) };
}

const withApp = () => io({ ...APP, scopes: ['w_member_social'] });
const connect = (more: object = {}) => linkedin.connectAccount({ accessToken: TOKEN, ...more }, io());
const member = async () => sessionOf(await connect());
const page = async () => sessionOf(await connect({ organizationId: PAGE }));
type Session = Awaited<ReturnType<typeof member>>;

const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, 'attempt-1', clock.now()),
  ...more,
});
const commentOn = (root: Published, text: string) => part(text, { step: 'first_comment', root, parent: root });
const lookFor = (session: Session, lost: SendPart) =>
  linkedin.readBack?.(session, lost, io()) ?? Promise.reject(new Error('no readBack'));
const remove = (session: Session, published: Published) =>
  linkedin.remove?.(session, published, io()) ?? Promise.reject(new Error('no remove'));
const prepare = async (session: Session, images: readonly OutgoingImage[]): Promise<Json> =>
  (await linkedin.prepare?.(session, images, io())) ?? null;
const addressOf = (urn: string | undefined) => `https://www.linkedin.com/feed/update/${urn}/`;

describe('credentials', () => {
  it.each([
    [{ accessToken: 'x' }, true],
    [{ accessToken: 'x', refreshToken: 'y', expiresAt: '2027-01-20T09:00:00Z', organizationId: ' 12 ' }, true],
    [{ accessToken: ' ' }, false],
    [{ accessToken: 'x', organizationId: 'the-bells' }, false],
    [{ accessToken: 'x', organizationId: 12 }, false],
    [{ accessToken: 'x', expiresAt: 'soon' }, false],
    [{ accessToken: 'x', pageId: '1' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(linkedin.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the member', async () => {
    expect(await connect({ refreshToken: 'refresh-1', expiresAt: '2027-01-20T09:00:00Z' })).toEqual({
      platformAccountId: 'urn:li:person:a1B2',
      handle: 'Alice Bell',
      credential: {
        accessToken: TOKEN,
        refreshToken: 'refresh-1',
        expiresAt: '2027-01-20T09:00:00Z',
        organizationId: null,
      },
    });
  });

  it('returns a page, which moves together with its member', async () => {
    expect(await connect({ organizationId: PAGE })).toEqual({
      platformAccountId: `urn:li:organization:${PAGE}`,
      handle: 'the-bells',
      credential: { accessToken: TOKEN, refreshToken: null, expiresAt: null, organizationId: PAGE },
      followsAccountId: 'urn:li:person:a1B2',
    });
  });

  it('returns a page without a member when the token may not identify its owner', async () => {
    fake.answers['GET /v2/userinfo'] = [{ status: 403, json: { message: 'Not enough permissions' } }];

    expect((await connect({ organizationId: PAGE })).followsAccountId).toBeUndefined();
  });

  it('returns a page without a vanity name under its name', async () => {
    alice.roles.set('7', 'CONTENT_ADMINISTRATOR');
    fake.addPage('7', 'Bells & Sons');

    expect((await connect({ organizationId: '7' })).handle).toBe('Bells & Sons');
  });

  it.each([['DIRECT_SPONSORED_CONTENT_POSTER'], ['ANALYST']])(
    'refuses a page on which the role is %s',
    async (role) => {
      alice.roles.set(PAGE, role);

      expect(await failureOf(connect({ organizationId: PAGE }))).toEqual({
        kind: 'rejected',
        message: `The member of this credential may not post as the page ${PAGE}: it takes the role of an administrator or content administrator.`,
      });
    },
  );

  it('refuses a member’s token that may not identify its owner', async () => {
    fake.answers['GET /v2/userinfo'] = [{ status: 403, json: {} }];

    expect(await failureOf(connect())).toEqual({
      kind: 'rejected',
      message: 'The access token may not tell whose it is: it needs the scopes openid and profile.',
    });
  });

  it('refuses an unknown token', async () => {
    alice.accessTokens.clear();

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'LinkedIn does not accept this credential: The token used in the request has expired',
    });
  });

  it.each([
    ['JSON of somebody else', 200, { hello: 1 }],
    ['an outage', 503, {}],
  ])('is unavailable with %s', async (_case, status, json) => {
    fake.answers['GET /v2/userinfo'] = [{ status, json }];

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('publish', () => {
  it('posts as the member and returns the URL', async () => {
    const published = await linkedin.publish(await member(), part('hello (all) #bells_2'), io());

    const [post] = fake.posts();
    expect(post).toMatchObject({
      author: 'urn:li:person:a1B2',
      text: 'hello (all) #bells_2',
      commentary: 'hello \\(all\\) #bells\\_2',
    });
    expect(published).toEqual({ platformPostId: post?.urn, url: addressOf(post?.urn) });
  });

  it('posts as the page', async () => {
    await linkedin.publish(await page(), part('from the page'), io());

    expect(fake.posts()).toMatchObject([{ author: `urn:li:organization:${PAGE}`, text: 'from the page' }]);
  });

  it('is rejected with LinkedIn’s message when the same text is already published', async () => {
    const session = await member();
    const { platformPostId } = await linkedin.publish(session, part('once'), io());

    expect(await failureOf(linkedin.publish(session, part('once'), io()))).toEqual({
      kind: 'rejected',
      message: `LinkedIn refused: Content is a duplicate of ${platformPostId}`,
    });
  });

  it('needs reconnecting when the role on the page was removed', async () => {
    const session = await page();
    alice.roles.clear();

    expect(await failureOf(linkedin.publish(session, part('hello'), io()))).toEqual({
      kind: 'reconnect',
      message: 'LinkedIn does not accept this credential: Not enough permissions to access: posts.CREATE',
    });
  });

  it.each([
    ['a retired version', { status: 426, json: { code: 'NONEXISTENT_VERSION' } }, 'unavailable', 'version 202607'],
    ['too many posts', { status: 429, json: {} }, 'unavailable', 'HTTP 429'],
    ['content that is not allowed', { status: 403, json: { message: 'Content is spam' } }, 'rejected', 'is spam'],
    ['a 403 without words', { status: 403, json: {} }, 'reconnect', 'HTTP 403'],
    ['a field that is wrong', { status: 400, json: { message: 'Bad\nfield' } }, 'rejected', 'refused: Bad field'],
    ['a page of a proxy', { status: 403, text: '<!DOCTYPE html>' }, 'unknown', 'HTTP 403'],
    ['a redirect', { status: 302, text: '' }, 'unknown', 'HTTP 302'],
    ['a failure', { status: 503, json: {} }, 'unknown', 'HTTP 503'],
    ['success without a post', { status: 201, text: '' }, 'unknown', 'without the post it made'],
  ])('handles %s', async (_case, answer, kind, message) => {
    const session = await member();
    fake.answers['POST /rest/posts'] = [answer];

    expect(await failureOf(linkedin.publish(session, part('hello'), io()))).toEqual({
      kind,
      message: expect.stringContaining(message) as string,
    });
    expect(fake.posts()).toEqual([]);
  });

  it('publishes no reply, which LinkedIn does not support', async () => {
    const root = { platformPostId: 'urn:li:share:1', url: null };
    const reply = part('two', { step: 'reply', root, parent: root });

    await expect(linkedin.publish(await member(), reply, io())).rejects.toThrow('no part of the kind reply');
  });
});

describe('a refusal of a duplicate', () => {
  /** The id of a post that was created at an instant. */
  const numberAt = (instant: Date) => String((BigInt(instant.getTime()) << 22n) + 5n);

  async function repeat(text: string, madeAt: Date, unknownSince?: Date) {
    const session = await member();
    const urn = `urn:li:share:${numberAt(madeAt)}`;
    fake.answers['POST /rest/posts'] = [duplicate(urn)];
    const asked = part(text, unknownSince === undefined ? {} : { unknownSince });
    return { urn, outcome: linkedin.publish(session, asked, io()) };
  }

  it('proves that a send with an unknown outcome succeeded', async () => {
    const doubt = clock.now();
    clock.advance(3_600_000);

    const { urn, outcome } = await repeat('in doubt', doubt, doubt);

    expect(await outcome).toEqual({ platformPostId: urn, url: addressOf(urn) });
  });

  it.each([
    ['a post from before that send', -60_000, true],
    ['a post of another send', 0, false],
  ])('is no proof with %s', async (_case, offset, isUnknown) => {
    const doubt = clock.now();
    const madeAt = new Date(doubt.getTime() + offset);

    const { outcome } = await repeat('no proof', madeAt, isUnknown ? doubt : undefined);

    expect(await failureOf(outcome)).toMatchObject({ kind: 'rejected' });
  });
});

it('a refusal of a duplicate that names no post leaves a repeat unknown', async () => {
  const session = await member();
  fake.answers['POST /rest/posts'] = [duplicate('another post')];

  const { kind } = await failureOf(linkedin.publish(session, part('no name', { unknownSince: clock.now() }), io()));

  expect(kind).toBe('unknown');
});

describe('a first comment', () => {
  it('is created under its post, with its text unchanged, by the author of the post', async () => {
    const session = await page();
    const root = await linkedin.publish(session, part('head'), io());

    const published = await linkedin.publish(session, commentOn(root, 'first (and last) #one'), io());

    const [comment] = fake.comments();
    expect(comment).toMatchObject({
      actor: `urn:li:organization:${PAGE}`,
      postUrn: root.platformPostId,
      text: 'first (and last) #one',
    });
    expect(published).toEqual({ platformPostId: comment?.id, url: null, ref: { on: root.platformPostId } });
  });

  it.each([
    ['the post is not found', { status: 404, json: { message: 'Not found' } }],
    ['its activity is not known', { status: 400, json: { message: 'Unable to obtain activity for it' } }],
  ])('is created two seconds later if %s at first', async (_case, early) => {
    const session = await member();
    const root = await linkedin.publish(session, part('head'), io());
    fake.faults.push(early);

    await linkedin.publish(session, commentOn(root, 'first'), io());

    expect([waits, fake.comments().length]).toEqual([[2_000], 1]);
  });

  it('is refused when the post is not found again', async () => {
    const root = { platformPostId: 'urn:li:share:404', url: null };

    expect(await failureOf(linkedin.publish(await member(), commentOn(root, 'first'), io()))).toMatchObject({
      kind: 'rejected',
    });
    expect(fake.calls['POST /rest/socialActions/:id/comments']).toBe(2);
  });

  it('is refused when the send ends before the post is known', async () => {
    const session = await member();
    const root = await linkedin.publish(session, part('head'), io());
    fake.faults.push({ status: 400, json: { message: 'Unable to obtain activity for it' } });

    expect(await failureOf(linkedin.publish(session, commentOn(root, 'first'), ioWithoutWaits()))).toEqual({
      kind: 'rejected',
      message: 'LinkedIn refused: Unable to obtain activity for it',
    });
    expect(fake.calls['POST /rest/socialActions/:id/comments']).toBe(1);
  });

  it('has an unknown outcome when LinkedIn’s response lacks the comment', async () => {
    const session = await member();
    const root = await linkedin.publish(session, part('head'), io());
    fake.faults.push({ status: 201, json: {} });

    expect(await failureOf(linkedin.publish(session, commentOn(root, 'first'), io()))).toMatchObject({
      kind: 'unknown',
    });
  });
});

describe('images', () => {
  it('are uploaded on behalf of the page, and attached in order with their alt text', async () => {
    const session = await page();

    const prepared = await prepare(session, [IMAGE, { ...IMAGE, contentType: 'image/jpeg', altText: '' }]);
    await linkedin.publish(session, part('look', { prepared }), io());

    const [one, two] = fake.images();
    expect([one, two]).toMatchObject([
      { owner: `urn:li:organization:${PAGE}`, bytes: Buffer.from('a picture'), type: 'image/png' },
      { type: 'image/jpeg' },
    ]);
    expect(fake.posts()[0]?.images).toEqual([{ id: one?.id, altText: 'A bell' }, { id: two?.id }]);
    expect(waits).toEqual([]);
  });

  it('are uploaded with a credential that was renewed in the meantime', async () => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1', organizationId: PAGE }));
    alice.accessTokens.clear();

    const prepared = await linkedin.prepare?.(session, [IMAGE], withApp());

    expect(prepared).toEqual({ images: [{ id: fake.images()[0]?.id, altText: 'A bell' }] });
    expect(fake.images()[0]?.bytes).toEqual(Buffer.from('a picture'));
  });

  it('is attached individually if it is the only one', async () => {
    const session = await page();

    const published = await linkedin.publish(
      session,
      part('look', { prepared: await prepare(session, [IMAGE]) }),
      io(),
    );

    expect(fake.posts()[0]?.images).toEqual([{ id: fake.images()[0]?.id, altText: 'A bell' }]);
    expect(published.platformPostId).toMatch(/^urn:li:ugcPost:\d+$/);
  });

  it('are awaited until they are processed', async () => {
    fake.looks = 2;
    const session = await page();

    await linkedin.publish(session, part('look', { prepared: await prepare(session, [IMAGE]) }), io());

    expect([waits, fake.posts().length]).toEqual([[1_000, 1_000], 1]);
  });

  it('get a fixed wait when the token may not read their status', async () => {
    fake.looks = null;

    await prepare(await member(), [IMAGE, IMAGE]);

    expect([waits, fake.calls['GET /rest/images/:id']]).toEqual([[3_000], 1]);
  });

  it.each([
    [{ message: 'The image is not ready' }],
    [{ code: 'MEDIA_ASSET_WAITING_UPLOAD', message: 'Media asset is waiting upload' }],
    [{ code: 'MEDIA_ASSET_PROCESSING', message: 'Media asset is in process' }],
  ])('are used again when the post is refused because they are not ready: %j', async (json) => {
    const session = await member();
    const prepared = await prepare(session, [IMAGE]);
    const early = { status: 400, json };
    fake.answers['POST /rest/posts'] = [early, early];

    await linkedin.publish(session, part('look', { prepared }), io());

    expect([waits, fake.posts().length]).toEqual([[3_000, 3_000], 1]);
  });

  it('are unavailable when the send ends before they are ready, because nothing was posted', async () => {
    const session = await member();
    const prepared = await prepare(session, [IMAGE]);
    fake.answers['POST /rest/posts'] = [{ status: 400, json: { message: 'The image is not ready' } }];

    expect(await failureOf(linkedin.publish(session, part('look', { prepared }), ioWithoutWaits()))).toEqual({
      kind: 'unavailable',
      message: 'LinkedIn is still processing an image; nothing was posted.',
    });
    expect(fake.calls['POST /rest/posts']).toBe(1);
  });

  it('are not posted again after the page of a proxy that mentions processing', async () => {
    const session = await member();
    const prepared = await prepare(session, [IMAGE]);
    fake.answers['POST /rest/posts'] = [{ status: 400, text: 'The server is processing your request' }];

    expect(await failureOf(linkedin.publish(session, part('look', { prepared }), io()))).toMatchObject({
      kind: 'unknown',
    });
    expect(fake.calls['POST /rest/posts']).toBe(1);
  });

  it('fail at once when LinkedIn could not process them', async () => {
    const session = await member();
    const prepared = await prepare(session, [IMAGE]);
    const json = { code: 'MEDIA_ASSET_PROCESSING_FAILED', message: 'Media asset processing has failed' };
    fake.answers['POST /rest/posts'] = [{ status: 400, json }];

    const { kind } = await failureOf(linkedin.publish(session, part('look', { prepared }), io()));

    expect([kind, waits]).toEqual(['rejected', []]);
  });

  it('fail when they are never ready', async () => {
    const session = await member();
    const prepared = await prepare(session, [IMAGE]);
    const early = { status: 400, json: { message: 'The image is not ready' } };
    fake.answers['POST /rest/posts'] = [early, early, early];

    expect(await failureOf(linkedin.publish(session, part('look', { prepared }), io()))).toMatchObject({
      kind: 'rejected',
    });
  });

  it.each([
    ['POST /rest/images', { status: 429, json: {} }, 'unavailable'],
    ['POST /rest/images', { status: 500, json: {} }, 'unavailable'],
    ['POST /rest/images', { status: 200, json: { value: {} } }, 'unavailable'],
    ['POST /rest/images', { status: 403, json: {} }, 'reconnect'],
    ['PUT /upload/:id', { status: 503, text: '' }, 'unavailable'],
    ['PUT /upload/:id', { status: 413, json: {} }, 'rejected'],
    ['GET /rest/images/:id', { status: 200, json: { status: 'PROCESSING_FAILED' } }, 'rejected'],
    ['GET /rest/images/:id', { status: 500, json: {} }, 'unavailable'],
  ])('handle the response of %s: %j', async (route, answer, kind) => {
    const session = await page();
    fake.answers[route] = [answer];

    expect(await failureOf(prepare(session, [IMAGE]))).toMatchObject({ kind });
  });

  it('are unavailable when they are never processed', async () => {
    fake.looks = Infinity;

    expect(await failureOf(prepare(await page(), [IMAGE]))).toEqual({
      kind: 'unavailable',
      message: 'LinkedIn is still processing an image; nothing was posted.',
    });
  });
});

describe('readBack', () => {
  it.each(['fails_after', 'drops_after'] as const)('finds a page’s post when the call %s', async (fault) => {
    const session = await page();
    const lost = part('there (now) {x} #bells_2\n\nnew line');
    fake.faults.push(fault);

    const { kind } = await failureOf(linkedin.publish(session, lost, io()));
    clock.advance(40_000);

    const [post] = fake.posts();
    expect(kind).toBe('unknown');
    expect(await lookFor(session, lost)).toEqual({ platformPostId: post?.urn, url: addressOf(post?.urn) });
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no post when the call %s', async (fault) => {
    const session = await page();
    fake.faults.push(fault);

    const { kind } = await failureOf(linkedin.publish(session, part('not there'), io()));

    expect([kind, await lookFor(session, part('not there'))]).toEqual(['unknown', null]);
  });

  it('finds a page’s comment', async () => {
    const session = await page();
    const root = await linkedin.publish(session, part('head'), io());
    const lost = commentOn(root, 'first');
    const made = await linkedin.publish(session, lost, io());

    expect(await lookFor(session, lost)).toEqual(made);
    expect(await lookFor(session, commentOn(root, 'second'))).toBeNull();
  });

  it('does not match an older post or one with another text', async () => {
    const session = await page();
    await linkedin.publish(session, part('good morning'), io());
    clock.advance(61_000);
    await linkedin.publish(session, part('same'), io());

    expect([await lookFor(session, part('good morning')), await lookFor(session, part('another'))]).toEqual([
      null,
      null,
    ]);
  });

  it('cannot determine the outcome of a member’s post', async () => {
    expect(await failureOf(lookFor(await member(), part('lost')))).toEqual({
      kind: 'unknown',
      message: 'LinkedIn does not list the posts of a member.',
    });
    expect(fake.calls['GET /rest/posts']).toBeUndefined();
  });

  it('cannot determine the outcome when the page has more new posts than LinkedIn lists', async () => {
    const session = await page();
    for (let index = 0; index < 50; index += 1) await linkedin.publish(session, part(`${index}`), io());

    expect(await failureOf(lookFor(session, part('buried')))).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['a dead token', { status: 401, json: {} }, 'reconnect'],
    ['an outage', { status: 503, json: {} }, 'unknown'],
    ['JSON of somebody else', { status: 200, json: { elements: [1] } }, 'unknown'],
  ])('cannot determine the outcome with %s', async (_case, answer, kind) => {
    const session = await page();
    fake.answers['GET /rest/posts'] = [answer];

    expect(await failureOf(lookFor(session, part('x')))).toMatchObject({ kind });
  });
});

describe('remove', () => {
  it('deletes a post, and succeeds again on a repeat', async () => {
    const session = await member();
    const published = await linkedin.publish(session, part('short-lived'), io());

    await remove(session, published);
    await remove(session, published);

    expect([fake.posts(), fake.calls['DELETE /rest/posts/:id']]).toEqual([[], 2]);
  });

  it('deletes a comment, succeeds again on a repeat, and keeps its post', async () => {
    const session = await page();
    const root = await linkedin.publish(session, part('head'), io());
    const comment = await linkedin.publish(session, commentOn(root, 'first'), io());

    await remove(session, comment);
    await remove(session, comment);

    expect([fake.comments(), fake.posts().length]).toEqual([[], 1]);
  });

  it('of a comment is not confirmed by the web page of a proxy', async () => {
    const session = await page();
    const root = await linkedin.publish(session, part('head'), io());
    const comment = await linkedin.publish(session, commentOn(root, 'first'), io());
    const text = '<html>Maintenance</html>';
    fake.answers['DELETE /rest/socialActions/:id/comments/:id'] = [
      { status: 200, text },
      { status: 404, text },
    ];

    expect((await failureOf(remove(session, comment))).kind).toBe('unavailable');
    expect((await failureOf(remove(session, comment))).kind).toBe('unavailable');
  });

  it('is refused when the role on the page was removed, which is no failure of the token', async () => {
    const session = await page();
    const published = await linkedin.publish(session, part('stays'), io());
    alice.roles.clear();

    expect(await failureOf(remove(session, published))).toMatchObject({ kind: 'rejected' });
    expect(fake.posts()).toHaveLength(1);
  });

  it('is unavailable when LinkedIn fails', async () => {
    fake.answers['DELETE /rest/posts/:id'] = [{ status: 500, json: {} }];

    const call = remove(await member(), { platformPostId: 'urn:li:share:19', url: null });

    expect(await failureOf(call)).toMatchObject({ kind: 'unavailable' });
  });
});

describe('an expired credential', () => {
  const DAY_MS = 86_400_000;
  const renewals = () => fake.calls['POST /oauth/v2/accessToken'] ?? 0;

  it('is renewed once when LinkedIn refuses it, and the call is repeated', async () => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1', organizationId: PAGE }));
    alice.accessTokens.clear();

    await linkedin.publish(session, part('one'), withApp());
    await linkedin.publish(session, part('two'), withApp());

    expect([fake.posts().map(({ text }) => text), renewals()]).toEqual([['one', 'two'], 1]);
  });

  it('is renewed from a week before it expires, and keeps its author', async () => {
    const expiresAt = new Date(clock.now().getTime() + 8 * DAY_MS).toISOString();
    const account = await connect({ refreshToken: 'refresh-1', expiresAt, organizationId: PAGE });
    const session = sessionOf(account);

    await linkedin.publish(session, part('early'), withApp());
    const before = renewals();
    clock.advance(DAY_MS);
    await linkedin.publish(session, part('late'), withApp());

    expect([before, renewals()]).toEqual([0, 1]);
    expect(await session.renew(() => Promise.reject(new Error('renewed already')))).toEqual({
      accessToken: [...alice.accessTokens].at(-1),
      refreshToken: 'refresh-1',
      expiresAt: new Date(clock.now().getTime() + 60 * DAY_MS).toISOString(),
      issuedAt: clock.now().toISOString(),
      organizationId: PAGE,
    });
  });

  it.each([
    ['without an app', 'refresh-1', false],
    ['without a refresh token, as most apps get none', undefined, true],
  ])('needs reconnecting %s', async (_case, refreshToken, hasApp) => {
    const session = sessionOf(await connect(refreshToken === undefined ? {} : { refreshToken }));
    alice.accessTokens.clear();

    const call = linkedin.publish(session, part('one'), hasApp ? withApp() : io());

    expect([(await failureOf(call)).kind, renewals()]).toEqual(['reconnect', 0]);
  });

  it('needs reconnecting when the refresh token has expired too', async () => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();
    alice.refreshTokens.clear();

    expect(await failureOf(linkedin.publish(session, part('one'), withApp()))).toEqual({
      kind: 'reconnect',
      message: 'LinkedIn no longer renews this credential: connect the account again.',
    });
  });

  it.each([
    ['does not know the app', 401, { error: 'invalid_client' }],
    ['fails', 503, {}],
    ['asks to wait', 429, {}],
    ['answers without a token', 200, { access_token: '' }],
  ])('is unavailable when LinkedIn %s', async (_case, status, json) => {
    const session = sessionOf(await connect({ refreshToken: 'refresh-1' }));
    alice.accessTokens.clear();
    fake.answers['POST /oauth/v2/accessToken'] = [{ status, json }];

    expect(await failureOf(linkedin.publish(session, part('one'), withApp()))).toMatchObject({ kind: 'unavailable' });
    expect(fake.posts()).toEqual([]);
  });
});
