import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchInit, Json, OutgoingImage, OutgoingPost, PlatformIo, SendPart } from '../../platforms/contract.ts';
import { instagram } from '../../platforms/instagram/index.ts';
import { plain } from '../harness/images.ts';
import type { FakeGraphError } from './fakes/fake-facebook.ts';
import { type FakeInstagram, startFakeInstagram } from './fakes/fake-instagram.ts';
import { startWire, type Wire } from './fakes/wire.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const USER_ID = '17841400000000001';
const TOKEN = 'EAAG-token-of-the-bells';
const JPEG = await plain(40, 40).jpeg().toBuffer();
const TOO_WIDE = await plain(40, 10).jpeg().toBuffer();

let clock: StoppedClock;
let fake: FakeInstagram;
let account: ReturnType<FakeInstagram['addAccount']>;
let images: Wire;
let waits: number[];

async function start(options: { looksUntilFinished?: number } = {}): Promise<void> {
  await fake?.close();
  fake = await startFakeInstagram({ now: clock.now, ...options });
  account = fake.addAccount(USER_ID, 'thebells', TOKEN);
}

beforeEach(async () => {
  clock = new StoppedClock();
  waits = [];
  const served: Record<string, Buffer> = { '/bell.jpg': JPEG, '/wide.jpg': TOO_WIDE };
  images = await startWire(clock, ({ path }) => {
    const bytes = served[path];
    if (bytes === undefined) return { status: 404, text: '' };
    return { status: 200, bytes, headers: { 'content-type': 'image/jpeg' } };
  });
  await start();
});

afterEach(() => Promise.all([fake.close(), images.close()]));

const io = (): PlatformIo => ({
  ...testIo(clock.now, { META_GRAPH_URL: fake.url }),
  sleep: async (ms) => void waits.push(ms),
});
const connect = (accessToken = TOKEN, userId = USER_ID) => instagram.connectAccount({ userId, accessToken }, io());
const open = async () => sessionOf(await connect());
type Session = Awaited<ReturnType<typeof open>>;

const image = (altText = '', name = 'bell.jpg'): OutgoingImage => ({
  mediaId: 'm',
  bytes: JPEG,
  contentType: 'image/jpeg',
  width: 40,
  height: 40,
  altText,
  url: `${images.url}/${name}`,
});
const assemble = async (session: Session, post: OutgoingPost, at = io()): Promise<Json> =>
  (await instagram.assemble?.(session, post, at)) ?? null;
const ready = async (session: Session, text: string): Promise<SendPart> => ({
  ...headPart(text, 'attempt-1', clock.now()),
  prepared: await assemble(session, { text, images: [image()] }),
});
/** Recovers a part whose response was lost, as the app does. */
const lookFor = (session: Session, lost: SendPart, at = io()) =>
  instagram.readBack?.(session, lost, at) ?? Promise.reject(new Error('no readBack'));

/** Answers calls whose URL contains `path` with a given response, and passes the others on. */
function answering(path: string, answer: () => Promise<Response>): PlatformIo {
  const passing = io();
  return {
    ...passing,
    fetch: (url: string | URL, init: FetchInit = {}) =>
      String(url).includes(path) ? answer() : passing.fetch(url, init),
  };
}

const permalink = (id: string | undefined) => `https://www.instagram.com/p/${id}/`;

describe('credentials', () => {
  it.each([
    [{ userId: '178', accessToken: 'x' }, true],
    [{ userId: ' 178 ', accessToken: ' x ' }, true],
    [{ userId: 'thebells', accessToken: 'x' }, false],
    [{ userId: '178', accessToken: ' ' }, false],
    [{ userId: '178' }, false],
    [{ userId: '178', accessToken: 'x', pageId: '1' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(instagram.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the account under its username', async () => {
    expect(await connect()).toEqual({
      platformAccountId: USER_ID,
      handle: 'thebells',
      credential: { userId: USER_ID, accessToken: TOKEN },
    });
  });

  it('refuses an unknown token, and does not show it', async () => {
    expect(await failureOf(connect('EAAG-mistyped'))).toEqual({
      kind: 'reconnect',
      message: 'Instagram does not accept this credential: Error validating access token …',
    });
  });

  it('refuses an id that is not a professional account', async () => {
    expect(await failureOf(connect(TOKEN, '999'))).toEqual({
      kind: 'reconnect',
      message:
        'Instagram shows this credential no professional account with that number: check that it is a business or creator account and connect it again.',
    });
  });

  it('refuses a token without permission to publish', async () => {
    const error = { code: 10, message: '(#10) Application does not have permission for this action' };
    fake.answers['GET /:id/content_publishing_limit'] = [{ status: 403, json: { error } }];

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'Instagram does not accept this credential: (#10) Application does not have permission for this action',
    });
  });

  it('refuses an account without a username', async () => {
    const page = answering(USER_ID, () => Promise.resolve(Response.json({ id: USER_ID })));

    expect(await failureOf(instagram.connectAccount({ userId: USER_ID, accessToken: TOKEN }, page))).toEqual({
      kind: 'rejected',
      message: `Instagram shows no professional account with the number ${USER_ID}.`,
    });
  });

  it('is unavailable when Instagram cannot be reached', async () => {
    await fake.close();

    expect(await failureOf(connect())).toMatchObject({ kind: 'unavailable' });
  });
});

describe('a post', () => {
  it('with one image is created unpublished, then published', async () => {
    const session = await open();

    const prepared = await assemble(session, { text: 'Ding #bells', images: [image('A bell')] });
    const before = fake.posts().length;
    const part = { ...headPart('Ding #bells', 'attempt-1', clock.now()), prepared };
    const published = await instagram.publish(session, part, io());

    const [post] = fake.posts();
    expect([before, prepared]).toEqual([0, { containerId: fake.containers()[0]?.id }]);
    expect(post).toMatchObject({
      text: 'Ding #bells',
      images: [{ bytes: JPEG, type: 'image/jpeg', altText: 'A bell' }],
    });
    expect(published).toEqual({ platformPostId: post?.id, url: permalink(post?.id) });
    expect(waits).toEqual([]);
  });

  it('with several images is a carousel of them, in order', async () => {
    const session = await open();

    const prepared = await assemble(session, { text: 'Two', images: [image('One'), image()] });
    await instagram.publish(session, { ...headPart('Two', 'attempt-1', clock.now()), prepared }, io());

    expect(fake.posts().map(({ text, images: shown }) => [text, shown.map(({ altText }) => altText)])).toEqual([
      ['Two', ['One', null]],
    ]);
  });

  it('waits for containers that are being processed, longer each time', async () => {
    await start({ looksUntilFinished: 2 });
    const session = await open();

    const prepared = await assemble(session, { text: 'Two', images: [image(), image()] });
    const forChildren = waits.splice(0);
    await instagram.publish(session, { ...headPart('Two', 'attempt-1', clock.now()), prepared }, io());

    expect([forChildren, waits, fake.posts().length]).toEqual([[1_000, 2_000, 1_000, 2_000], [1_000, 2_000], 1]);
  });

  it('is unavailable while it is being processed, and not published', async () => {
    await start({ looksUntilFinished: 99 });
    const session = await open();
    const part = await ready(session, 'slow');
    const busy = { kind: 'unavailable', message: 'Instagram is still processing the post; nothing was posted.' };
    const outOfTime = { ...io(), sleep: () => Promise.reject(new DOMException('over', 'TimeoutError')) };

    expect(await failureOf(instagram.publish(session, part, io()))).toEqual(busy);
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 8_000]);
    expect(await failureOf(instagram.publish(session, part, outOfTime))).toEqual(busy);
    expect([fake.posts(), await lookFor(session, part)]).toEqual([[], null]);
  });

  it('is published again when it is reported as not ready', async () => {
    const session = await open();
    const part = await ready(session, 'hasty');
    fake.faults.push({ code: 9007, error_subcode: 2_207_027, message: 'not ready' });

    const published = await instagram.publish(session, part, io());

    expect([waits, published.platformPostId]).toEqual([[1_000], fake.posts()[0]?.id]);
  });

  it('is unavailable when it is reported as not ready and its status cannot be read then', async () => {
    const session = await open();
    const part = await ready(session, 'hasty');
    fake.faults.push({ code: 9007, error_subcode: 2_207_027, message: 'not ready' });
    let looks = 0;
    const passing = io();
    const failing: PlatformIo = {
      ...passing,
      fetch: (url, init) => {
        looks += String(url).includes('fields=status_code') ? 1 : 0;
        return looks > 1 ? Promise.reject(new Error('reset')) : passing.fetch(url, init);
      },
    };

    expect((await failureOf(instagram.publish(session, part, failing))).kind).toBe('unavailable');
    expect(await lookFor(session, part)).toBe(null);
  });

  it('that was already published is found and not published again', async () => {
    const session = await open();
    const part = await ready(session, 'once');
    const first = await instagram.publish(session, part, io());

    expect(await instagram.publish(session, part, io())).toEqual({ ...first, provenId: fake.containers()[0]?.id });
    expect([fake.posts().length, fake.calls['POST /:id/media_publish']]).toEqual([1, 1]);
  });

  it('is reported as sent when its URL cannot be read', async () => {
    const session = await open();
    const part = await ready(session, 'no address');
    const halved = answering('fields=permalink', () => Promise.reject(new Error('reset')));

    expect(await instagram.publish(session, part, halved)).toEqual({ platformPostId: fake.posts()[0]?.id, url: null });
  });

  it.each([
    ['ERROR', 'Error: Media upload has failed with error code 2207009', 'rejected', /^Instagram refused: Error: Media/],
    [
      'ERROR',
      'Error: Media upload has failed with error code 2207032',
      'unavailable',
      /could not take the post; nothing/,
    ],
    ['ERROR', undefined, 'rejected', /it did not say why/],
    ['ERROR', 'Error: An unknown error occurred', 'unavailable', /could not take the post; nothing was posted/],
    ['ERROR', 'UNKNOWN', 'unavailable', /could not take the post; nothing was posted/],
    ['EXPIRED', undefined, 'unavailable', /has dropped the post it was given; nothing was posted/],
  ] as const)('fails when its container is %s: %s', async (state, problem, kind, message) => {
    const session = await open();
    const part = await ready(session, 'lost');
    Object.assign(fake.containers()[0] ?? {}, { state, problem });

    expect(await failureOf(instagram.publish(session, part, io()))).toEqual({
      kind,
      message: expect.stringMatching(message) as string,
    });
    expect(await lookFor(session, part)).toBe(null);
  });
});

describe('an image', () => {
  it.each([
    ['cannot be fetched', 'gone.jpg', 'The media could not be fetched'],
    ['has a shape that is not taken', 'wide.jpg', 'The aspect ratio is not supported.'],
  ])('that %s is refused with the platform’s message', async (_case, name, message) => {
    const session = await open();

    expect(await failureOf(assemble(session, { text: 'x', images: [image('', name)] }))).toEqual({
      kind: 'rejected',
      message: expect.stringContaining(message) as string,
    });
  });

  it.each([
    ['HTTP 500', () => Promise.resolve(Response.json({ error: { code: 1 } }, { status: 500 }))],
    ['no answer', () => Promise.reject(new Error('reset'))],
    ['a page of a proxy', () => Promise.resolve(new Response('<html>', { status: 502 }))],
    ['JSON of somebody else', () => Promise.resolve(Response.json({ hello: 1 }))],
  ])('is unavailable when the response is %s', async (_case, answer) => {
    const session = await open();

    const call = assemble(session, { text: 'x', images: [image()] }, answering('/media', answer));

    expect((await failureOf(call)).kind).toBe('unavailable');
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
    ['rejected', refusal(36_003, { error_subcode: 2_207_009 })],
    ['rejected', refusal(9, { error_subcode: 2_207_042 })],
    ['rejected', refusal(25, { error_subcode: 2_207_050 })],
    ['rejected', refusal(4, { error_subcode: 2_207_051 })],
    ['rejected', refusal(368)],
    ['unavailable', refusal(24, { error_subcode: 2_207_006 })],
    ['unavailable', refusal(24, { error_subcode: 2_207_008 })],
    ['unavailable', refusal(24, { error_subcode: 2_207_020 })],
    ['unavailable', refusal(-2, { error_subcode: 2_207_003 })],
    ['unavailable', refusal(4, { status: 403 })],
    ['unavailable', refusal(80_002)],
    ['unavailable', refusal(9_999, { status: 429 })],
    ['reconnect', refusal(190, { error_subcode: 460 })],
    ['reconnect', refusal(10, { status: 403 })],
    ['reconnect', refusal(100, { error_subcode: 33 })],
    ['reconnect', { code: 110, message: 'The user is not an Instagram Business' }],
    ['unknown', refusal(1)],
    ['unknown', refusal(-1, { error_subcode: 2_207_001, status: 500 })],
    ['unknown', refusal(9_999, { is_transient: true })],
  ])('makes a post %s: %j', async (kind, error) => {
    const session = await open();
    const part = await ready(session, 'hello');
    fake.faults.push(error);

    expect((await failureOf(instagram.publish(session, part, io()))).kind).toBe(kind);
    expect(fake.posts()).toEqual([]);
  });
});

describe('readBack', () => {
  it.each(['fails_after', 'drops_after'] as const)('finds the post when the call %s', async (fault) => {
    const session = await open();
    const part = await ready(session, 'there <b> & "so"\n\n@you #bells  e\u0301');
    fake.faults.push(fault);

    const { kind } = await failureOf(instagram.publish(session, part, io()));
    clock.advance(40_000);

    const [post] = fake.posts();
    expect(kind).toBe('unknown');
    const [container] = fake.containers();
    const found = { platformPostId: post?.id, url: permalink(post?.id), provenId: container?.id };
    expect(await lookFor(session, part)).toEqual(found);
  });

  it.each(['fails_before', 'drops_before', 'web_page'] as const)(
    'finds no post when the call %s, and publishing again creates it once',
    async (fault) => {
      const session = await open();
      const part = await ready(session, 'not there');
      fake.faults.push(fault);

      const { kind } = await failureOf(instagram.publish(session, part, io()));
      const seen = await lookFor(session, part);
      await instagram.publish(session, part, io());

      expect([kind, seen, fake.posts().length]).toEqual(['unknown', null, 1]);
    },
  );

  it.each([
    ['the list does not show it', () => Promise.resolve(Response.json({ data: [] }))],
    ['there is no list', () => Promise.resolve(Response.json({}))],
    ['the list breaks off', () => Promise.reject(new Error('reset'))],
  ])('reports the post as sent although %s', async (_case, answer) => {
    const session = await open();
    const part = await ready(session, 'up');
    await instagram.publish(session, part, io());

    expect(await lookFor(session, part, answering('caption', answer))).toEqual({
      platformPostId: fake.containers()[0]?.id,
      url: null,
    });
  });

  it('does not match an older post with the same text', async () => {
    const session = await open();
    await instagram.publish(session, await ready(session, 'good morning'), io());
    clock.advance(60_000);
    const part = await ready(session, 'good morning');
    const second = await instagram.publish(session, part, io());

    expect(await lookFor(session, part)).toEqual({ ...second, provenId: fake.containers().at(-1)?.id });
  });

  it('cannot determine the outcome of a hidden container, or with an invalid token', async () => {
    const session = await open();
    const part = { ...headPart('x', 'attempt-1', clock.now()), prepared: { containerId: '404' } };
    expect(await failureOf(lookFor(session, part))).toMatchObject({ kind: 'unknown' });
    account.tokens.clear();

    expect(await failureOf(lookFor(session, part))).toMatchObject({ kind: 'reconnect' });
  });
});
