import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchInit, Json, OutgoingImage, PlatformIo, Published, SendPart } from '../../platforms/contract.ts';
import { facebook } from '../../platforms/facebook/index.ts';
import { type FakeFacebook, type FakeGraphError, startFakeFacebook } from './fakes/fake-facebook.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const PAGE_ID = '104000000000001';
const TOKEN = 'EAAG-token-of-the-bells';
const IMAGE: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
};

let clock: StoppedClock;
let fake: FakeFacebook;
let page: ReturnType<FakeFacebook['addPage']>;

async function start(): Promise<void> {
  await fake?.close();
  fake = await startFakeFacebook({ now: clock.now });
  page = fake.addPage(PAGE_ID, 'The Bells', TOKEN, 'thebells');
}

beforeEach(() => {
  clock = new StoppedClock();
  return start();
});

afterEach(() => fake.close());

const io = () => testIo(clock.now, { META_GRAPH_URL: fake.url });
const connect = (accessToken = TOKEN, pageId = PAGE_ID) => facebook.connectAccount({ pageId, accessToken }, io());
const open = async () => sessionOf(await connect());
type Session = Awaited<ReturnType<typeof open>>;

const part = (text: string, more: Partial<SendPart> = {}): SendPart => ({
  ...headPart(text, 'attempt-1', clock.now()),
  ...more,
});
const commentOn = (root: Published, text: string) => part(text, { step: 'first_comment', root, parent: root });

/** Recovers a part whose response was lost, as the app does. */
const lookFor = (session: Session, lost: SendPart, with_ = io()) =>
  facebook.readBack?.(session, lost, with_) ?? Promise.reject(new Error('no readBack'));
const remove = (session: Session, published: Published) =>
  facebook.remove?.(session, published, io()) ?? Promise.reject(new Error('no remove'));
const prepare = async (session: Session, images: readonly OutgoingImage[], with_ = io()): Promise<Json> =>
  (await facebook.prepare?.(session, images, with_)) ?? null;

/** Answers calls whose URL contains `path` with a given response, and passes the others on. */
function answering(path: string, answer: () => Promise<Response>): PlatformIo {
  const passing = io();
  return {
    ...passing,
    fetch: (url: string | URL, init: FetchInit = {}) =>
      String(url).includes(path) ? answer() : passing.fetch(url, init),
  };
}

describe('credentials', () => {
  it.each([
    [{ pageId: '104', accessToken: 'x' }, true],
    [{ pageId: ' 104 ', accessToken: ' x ' }, true],
    [{ pageId: 'thebells', accessToken: 'x' }, false],
    [{ pageId: 104, accessToken: 'x' }, false],
    [{ pageId: '104', accessToken: ' ' }, false],
    [{ pageId: '104', accessToken: 'x', appSecret: 'y' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(facebook.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the Page under its username', async () => {
    expect(await connect()).toEqual({
      platformAccountId: PAGE_ID,
      handle: 'thebells',
      credential: { pageId: PAGE_ID, accessToken: TOKEN },
    });
  });

  it('returns a Page without a username under its name', async () => {
    fake.addPage('105', 'Bells & Sons', 'other-token');

    expect((await connect('other-token', '105')).handle).toBe('Bells & Sons');
  });

  it('refuses an unknown token, and does not show it', async () => {
    expect(await failureOf(connect('EAAG-mistyped'))).toEqual({
      kind: 'reconnect',
      message: 'Facebook does not accept this credential: Malformed access token …',
    });
  });

  it('refuses the token of a person', async () => {
    fake.addPerson('7', 'token-of-alice');

    expect(await failureOf(connect('token-of-alice'))).toEqual({
      kind: 'rejected',
      message: `The access token is not that of the Page ${PAGE_ID}.`,
    });
  });

  it('refuses a Page that does not exist', async () => {
    expect(await failureOf(connect(TOKEN, '999'))).toEqual({
      kind: 'rejected',
      message: expect.stringMatching(/^Facebook refused: .*'999' does not exist/) as string,
    });
  });

  it.each([
    ['a page of a proxy', () => new Response('<html>', { status: 503 }), 'unavailable', 'Facebook answered HTTP 503.'],
    ['something that is no Page', () => Response.json({ id: PAGE_ID }), 'rejected', 'shows no Page with the number'],
  ])('handles %s', async (_case, answer, kind, message) => {
    const served = answering(`/${PAGE_ID}`, () => Promise.resolve(answer()));

    const failure = await failureOf(facebook.connectAccount({ pageId: PAGE_ID, accessToken: TOKEN }, served));

    expect(failure).toEqual({ kind, message: expect.stringContaining(message) as string });
  });

  it('is unavailable when Facebook cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('publish', () => {
  it('posts to the Page and returns the URL', async () => {
    const published = await facebook.publish(await open(), part('hello #bells'), io());

    const [post] = fake.posts();
    expect(post).toMatchObject({ pageId: PAGE_ID, message: 'hello #bells', photoIds: [] });
    expect(published).toEqual({
      platformPostId: post?.id,
      url: `https://www.facebook.com/permalink.php?story_fbid=${post?.id}`,
    });
  });

  it('reports the post as sent when the URL cannot be read', async () => {
    const session = await open();
    const halved = answering(`/${PAGE_ID}_`, () => Promise.reject(new Error('reset')));

    const published = await facebook.publish(session, part('hello'), halved);

    const [post] = fake.posts();
    expect(published).toEqual({ platformPostId: post?.id, url: `https://www.facebook.com/${post?.id}` });
  });

  it('comments under the post', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('head'), io());

    const published = await facebook.publish(session, commentOn(root, 'first!'), io());

    expect(fake.comments()).toMatchObject([
      { id: published.platformPostId, postId: root.platformPostId, message: 'first!' },
    ]);
    expect(fake.posts().length).toBe(1);
  });

  it('publishes no reply, which Facebook does not support', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('head'), io());

    await expect(facebook.publish(session, part('two', { step: 'reply', root, parent: root }), io())).rejects.toThrow(
      'no part of the kind reply',
    );
  });

  it('refuses a comment on a post that no longer exists', async () => {
    const root = { platformPostId: `${PAGE_ID}_404`, url: null };

    expect(await failureOf(facebook.publish(await open(), commentOn(root, 'first!'), io()))).toMatchObject({
      kind: 'rejected',
    });
  });

  const page_ = '<!DOCTYPE html><title>Sorry, something went wrong.</title>';
  it.each([
    ['a page of a proxy', new Response(page_, { status: 403 }), 'unknown', 'Facebook answered HTTP 403.'],
    ['an empty 502', new Response(null, { status: 502 }), 'unknown', 'Facebook answered HTTP 502.'],
    ['a redirect', new Response(null, { status: 302 }), 'unknown', 'Facebook answered HTTP 302.'],
    ['JSON of somebody else', Response.json({ error: 'no' }, { status: 400 }), 'unknown', 'HTTP 400'],
    ['a 200 without an id', Response.json({}), 'unknown', 'without the id of what it made'],
    [
      'a 429 without words',
      new Response(null, { status: 429, headers: { 'retry-after': '30' } }),
      'unavailable',
      'Facebook answered HTTP 429, asking to wait 30 s; nothing was posted.',
    ],
  ])('handles %s', async (_case, response, kind, message) => {
    const session = await open();
    const served = answering('/feed', () => Promise.resolve(response.clone()));

    const failure = await failureOf(facebook.publish(session, part('hello'), served));

    expect(failure).toEqual({ kind, message: expect.stringContaining(message) as string });
  });
});

describe('an error of the Graph API', () => {
  const refusal = (code: number, more: Partial<FakeGraphError> = {}) => ({
    code,
    message: `(#${code}) words`,
    ...more,
  });

  it.each<[string, FakeGraphError]>([
    ['rejected', refusal(100)],
    ['rejected', refusal(368, { is_transient: true })],
    ['rejected', refusal(506)],
    ['rejected', refusal(1_609_005)],
    ['rejected', refusal(200, { error_subcode: 1_404_102 })],
    ['rejected', refusal(190_000)],
    ['unavailable', refusal(4, { status: 403, is_transient: true })],
    ['unavailable', refusal(17)],
    ['unavailable', refusal(32)],
    ['unavailable', refusal(341)],
    ['unavailable', refusal(613)],
    ['unavailable', refusal(80_001)],
    ['unavailable', refusal(80_002)],
    ['unavailable', refusal(368, { error_subcode: 1_390_008 })],
    ['unavailable', refusal(9_999, { status: 429 })],
    ['reconnect', refusal(190, { error_subcode: 460 })],
    ['reconnect', refusal(190, { status: 500 })],
    ['reconnect', refusal(102)],
    ['reconnect', refusal(10, { status: 403 })],
    ['reconnect', refusal(200, { error_subcode: 1_404_078 })],
    ['reconnect', refusal(299)],
    ['rejected', refusal(300)],
    ['unknown', refusal(1)],
    ['unknown', refusal(2, { status: 500, is_transient: true })],
    ['unknown', refusal(9_999, { is_transient: true })],
    ['unknown', refusal(9_999, { status: 503 })],
  ])('makes a post %s: %j', async (kind, error) => {
    const session = await open();
    fake.faults.push(error);

    expect((await failureOf(facebook.publish(session, part('hello'), io()))).kind).toBe(kind);
    expect(fake.posts()).toEqual([]);
  });

  const minutes = (...given: unknown[]) =>
    JSON.stringify({ [PAGE_ID]: given.map((time) => ({ type: 'pages', estimated_time_to_regain_access: time })) });
  const limit = { error: { code: 32, message: '(#32) Page request limit reached' } };
  it.each<[string, ResponseInit, object, number | undefined]>([
    ['that of Retry-After', { status: 400, headers: { 'retry-after': '3600' } }, limit, 3_600_000],
    [
      'the longest of the header of business use cases',
      { status: 400, headers: { 'x-business-use-case-usage': minutes(0, 60, 5) } },
      limit,
      3_600_000,
    ],
    [
      'a minute without either',
      { status: 400, headers: { 'x-business-use-case-usage': '{"a":[{}]} or not' } },
      limit,
      60_000,
    ],
    [
      'that of Retry-After, with another error',
      { status: 429, headers: { 'retry-after': '30' } },
      { error: { code: 9_999, message: 'busy', is_transient: true } },
      30_000,
    ],
  ])('for too many calls asks to wait: %s', async (_what, init, body, retryAfterMs) => {
    const session = await open();
    const served = answering('/feed', () => Promise.resolve(Response.json(body, init)));

    const failure: unknown = await facebook.publish(session, part('hello'), served).catch((error: unknown) => error);

    expect(failure).toMatchObject({ retryAfterMs });
  });

  it.each([
    [refusal(368), 'Facebook refused: (#368) words'],
    [refusal(368, { error_user_msg: 'You can’t post\nright now.' }), 'Facebook refused: You can’t post right now.'],
    [refusal(190), 'Facebook does not accept this credential: (#190) words'],
    [refusal(32), 'Facebook accepts nothing for now; nothing was posted. (#32) words'],
    [
      refusal(190, { error_user_msg: `${TOKEN} has expired` }),
      'Facebook does not accept this credential: … has expired',
    ],
  ])('is reported with the platform’s message: %j', async (error, message) => {
    const session = await open();
    fake.faults.push(error);

    expect((await failureOf(facebook.publish(session, part('hello'), io()))).message).toBe(message);
  });
});

describe('images', () => {
  it('are uploaded unpublished, then attached in order, with their alt text', async () => {
    const session = await open();

    const prepared = await prepare(session, [IMAGE, { ...IMAGE, contentType: 'image/jpeg', altText: '' }]);
    const before = fake.posts().length;
    await facebook.publish(session, part('look', { prepared }), io());

    const [one, two] = fake.photos();
    expect([before, one, two]).toMatchObject([
      0,
      { type: 'image/png', altText: 'A bell', bytes: Buffer.from('a picture'), isAttached: true },
      { type: 'image/jpeg', altText: null, isAttached: true },
    ]);
    expect(prepared).toEqual({ photoIds: [one?.id, two?.id] });
    expect(fake.posts()[0]?.photoIds).toEqual([one?.id, two?.id]);
  });

  const limit = { error: { code: 4, message: '(#4) limit' } };
  const tooBig = { error: { code: 100, error_subcode: 1_366_046, message: 'too big' } };
  it.each([
    ['a rate limit', () => Promise.resolve(Response.json(limit, { status: 400 })), 'unavailable'],
    ['HTTP 500', () => Promise.resolve(Response.json({ error: { code: 1 } }, { status: 500 })), 'unavailable'],
    ['no answer', () => Promise.reject(new Error('reset')), 'unavailable'],
    ['a page of a proxy', () => Promise.resolve(new Response('<html>', { status: 413 })), 'unavailable'],
    ['JSON of somebody else', () => Promise.resolve(Response.json({ hello: 1 })), 'unavailable'],
    ['a photo that is too big', () => Promise.resolve(Response.json(tooBig, { status: 400 })), 'rejected'],
  ])('handle %s to an upload', async (_case, answer, kind) => {
    const session = await open();

    expect((await failureOf(prepare(session, [IMAGE], answering('/photos', answer)))).kind).toBe(kind);
  });
});

describe('readBack', () => {
  it.each(['fails_after', 'drops_after'] as const)('finds the post when the call %s', async (fault) => {
    const session = await open();
    const head = part('there <b> & "so"\n\n@you #bells  e\u0301 https://example.com/?x=1&y=2');
    fake.faults.push(fault);

    const { kind } = await failureOf(facebook.publish(session, head, io()));
    clock.advance(40_000);

    const [post] = fake.posts();
    expect(kind).toBe('unknown');
    expect(await lookFor(session, head)).toEqual({
      platformPostId: post?.id,
      url: `https://www.facebook.com/permalink.php?story_fbid=${post?.id}`,
    });
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)('finds no post when the call %s', async (fault) => {
    const session = await open();
    fake.faults.push(fault);

    const { kind } = await failureOf(facebook.publish(session, part('not there'), io()));

    expect(kind).toBe('unknown');
    expect(await lookFor(session, part('not there'))).toBeNull();
  });

  it('finds a comment under its own post only', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('head'), io());
    const other = await facebook.publish(session, part('other'), io());
    const made = await facebook.publish(session, commentOn(root, 'first!'), io());

    const { platformPostId } = made;
    expect(await lookFor(session, commentOn(root, 'first!'))).toMatchObject({ platformPostId });
    expect(await lookFor(session, commentOn(other, 'first!'))).toBeNull();
    expect(await lookFor(session, part('first!'))).toBeNull();
  });

  it('does not match the comment of another author', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('head'), io());
    fake.commentAs('7', root.platformPostId, 'first!');

    expect(await lookFor(session, commentOn(root, 'first!'))).toBeNull();
  });

  it('does not match an older post with the same text', async () => {
    const session = await open();
    await facebook.publish(session, part('good morning'), io());
    clock.advance(6_000);

    expect(await lookFor(session, part('good morning'))).toBeNull();
  });

  it('matches the first of two posts with the same text', async () => {
    const session = await open();
    const lost = part('again');
    const first = await facebook.publish(session, lost, io());
    clock.advance(60_000);
    await facebook.publish(session, part('again'), io());

    expect(await lookFor(session, lost)).toEqual(first);
  });

  it('cannot determine the outcome when the Page has more new posts than one list', async () => {
    const session = await open();
    const lost = part('buried');
    for (let index = 0; index < 50; index += 1) await facebook.publish(session, part(`${index}`), io());

    expect(await failureOf(lookFor(session, lost))).toEqual({
      kind: 'unknown',
      message: 'The Page has more that is new than Facebook lists.',
    });
  });

  it('cannot determine whether a text with mentions is one of the new posts', async () => {
    const session = await open();
    expect(await lookFor(session, part('hi @[104:1]'))).toBeNull();
    await facebook.publish(session, part('hi The Choir'), io());

    expect(await failureOf(lookFor(session, part('hi @[104:1]')))).toMatchObject({ kind: 'unknown' });
  });

  it.each([
    ['a list of something else', () => Response.json({ data: [{ id: '1', created_time: 'yesterday' }] }), 'unknown'],
    ['no list', () => Response.json({}), 'unknown'],
    ['a refusal', () => Response.json({ error: { code: 2, message: 'busy' } }, { status: 500 }), 'unknown'],
  ])('cannot determine the outcome from %s', async (_case, answer, kind) => {
    const session = await open();
    const served = answering('/published_posts', () => Promise.resolve(answer()));

    expect((await failureOf(lookFor(session, part('x'), served))).kind).toBe(kind);
  });

  it('cannot determine the outcome with an invalid token', async () => {
    const session = await open();
    page.tokens.clear();

    expect(await failureOf(lookFor(session, part('x')))).toMatchObject({ kind: 'reconnect' });
  });
});

describe('remove', () => {
  it('deletes a comment and its post, and succeeds again on a repeat', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('short-lived'), io());
    const comment = await facebook.publish(session, commentOn(root, 'me too'), io());

    for (const published of [comment, comment, root, root, comment]) await remove(session, published);

    expect([fake.posts(), fake.comments(), fake.calls['DELETE /:id']]).toEqual([[], [], 5]);
  });

  it('keeps the post when the token is invalid', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('long-lived'), io());
    page.tokens.clear();

    expect(await failureOf(remove(session, root))).toMatchObject({ kind: 'reconnect' });
    expect(fake.posts().length).toBe(1);
  });

  it('is unavailable when Facebook cannot be reached', async () => {
    const session = await open();
    const root = await facebook.publish(session, part('short-lived'), io());
    await fake.close();

    expect(await failureOf(remove(session, root))).toMatchObject({ kind: 'unavailable' });
  });
});
