import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json, OutgoingImage, OutgoingPost, SendPart } from '../../platforms/contract.ts';
import { threads } from '../../platforms/threads/index.ts';
import { plain } from '../harness/images.ts';
import type { FakeGraphError } from './fakes/fake-facebook.ts';
import { type FakeThreads, startFakeThreads } from './fakes/fake-threads.ts';
import { startWire, type Wire, type WireAnswer } from './fakes/wire.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const USER_ID = '24000000000000001';
const TOKEN = 'THAA-token-of-the-bells';
const PNG = await plain(40, 10).png().toBuffer();
const DAY_MS = 86_400_000;

let clock: StoppedClock;
let fake: FakeThreads;
let account: ReturnType<FakeThreads['addAccount']>;
let images: Wire;

beforeEach(async () => {
  clock = new StoppedClock();
  fake = await startFakeThreads({ now: clock.now });
  account = fake.addAccount(USER_ID, 'thebells', TOKEN);
  images = await startWire(clock, () => ({ status: 200, bytes: PNG, headers: { 'content-type': 'image/png' } }));
});

afterEach(() => Promise.all([fake.close(), images.close()]));

const io = () => testIo(clock.now, { THREADS_API_URL: fake.url });
const connect = (more: { expiresAt?: string; refreshToken?: string } = {}) =>
  threads.connectAccount({ accessToken: TOKEN, ...more }, io());
const open = async (more: { expiresAt?: string } = {}) => sessionOf(await connect(more));
type Session = Awaited<ReturnType<typeof open>>;

const image = (altText = ''): OutgoingImage => ({
  mediaId: 'm',
  bytes: PNG,
  contentType: 'image/png',
  width: 40,
  height: 10,
  altText,
  url: `${images.url}/bell.png`,
});
const assemble = async (session: Session, post: OutgoingPost): Promise<Json> =>
  (await threads.assemble?.(session, post, io())) ?? null;
const ready = async (session: Session, text: string, shown: readonly OutgoingImage[] = []): Promise<SendPart> => ({
  ...headPart(text, 'attempt-1', clock.now()),
  prepared: await assemble(session, { text, images: shown }),
});
/** Recovers a part whose response was lost, as the app does. */
const lookFor = (session: Session, lost: SendPart) =>
  threads.readBack?.(session, lost, io()) ?? Promise.reject(new Error('no readBack'));
const permalink = (id: string | undefined) => `https://www.threads.net/@someone/post/${id}/`;

describe('credentials', () => {
  it.each([
    [{ accessToken: 'x' }, true],
    [{ accessToken: 'x', refreshToken: 'y', expiresAt: '2027-01-01T09:00:00Z' }, true],
    [{ accessToken: ' ' }, false],
    [{}, false],
    [{ accessToken: 'x', expiresAt: 'soon' }, false],
    [{ accessToken: 'x', userId: '1' }, false],
  ])('accepts or refuses %j', (input, taken) => {
    expect(threads.credentials.safeParse(input).success).toBe(taken);
  });
});

describe('connectAccount', () => {
  it('returns the account under its username, and drops fields that Threads does not use', async () => {
    expect(await connect({ refreshToken: 'y', expiresAt: '2027-01-01T09:00:00Z' })).toEqual({
      platformAccountId: USER_ID,
      handle: 'thebells',
      credential: { accessToken: TOKEN, expiresAt: '2027-01-01T09:00:00Z' },
    });
  });

  it('refuses an unknown token, and does not show it', async () => {
    account.tokens.clear();

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'Threads does not accept this credential: Error validating access token …',
    });
  });

  it('refuses a token without permission to publish', async () => {
    const error = { code: 10, message: '(#10) No permission' };
    fake.answers['GET /me/threads_publishing_limit'] = [{ status: 403, json: { error } }];

    expect(await failureOf(connect())).toEqual({
      kind: 'reconnect',
      message: 'Threads does not accept this credential: (#10) No permission',
    });
  });

  it('is unavailable when the response has no account', async () => {
    fake.answers['GET /me'] = [{ status: 200, json: {} }];

    expect(await failureOf(connect())).toEqual({
      kind: 'unavailable',
      message: 'Threads did not show whose access token this is.',
    });
  });
});

describe('a post', () => {
  it('of text alone is created unpublished, then published', async () => {
    const session = await open();

    const part = await ready(session, 'Ding 🔔');
    const before = fake.posts().length;
    const published = await threads.publish(session, part, io());

    const [post] = fake.posts();
    expect([before, part.prepared]).toEqual([0, { containerId: fake.containers()[0]?.id }]);
    expect(post).toMatchObject({ text: 'Ding 🔔', images: [] });
    expect(published).toEqual({ platformPostId: post?.id, url: permalink(post?.id) });
  });

  it.each([1, 2])('with %i images shows them in order', async (count) => {
    const session = await open();
    const shown = ['One', 'Two'].slice(0, count).map(image);

    await threads.publish(session, await ready(session, 'look', shown), io());

    expect(fake.posts().map((post) => post.images.map(({ altText, bytes }) => [altText, bytes]))).toEqual([
      shown.map(({ altText }) => [altText, PNG]),
    ]);
  });

  it('of exactly 500 is accepted, and of one more refused with Threads’ message', async () => {
    const session = await open();

    await ready(session, '🔔'.repeat(125));

    expect(await failureOf(ready(session, `${'🔔'.repeat(125)}.`))).toEqual({
      kind: 'rejected',
      message: 'Threads refused: Param text must be at most 500 characters long.',
    });
  });

  it.each<[string, FakeGraphError]>([
    ['rejected', { code: 100, message: 'no' }],
    ['rejected', { code: 25, error_subcode: 2_207_051, message: 'restricted' }],
    ['rejected', { code: 25, error_subcode: 4_279_013, message: 'restricted' }],
    ['unavailable', { code: 4, message: 'limit' }],
    ['unavailable', { code: 24, error_subcode: 4_279_009, message: 'The requested resource does not exist' }],
    ['reconnect', { code: 190, message: 'dead' }],
    ['reconnect', { code: 10, message: 'no permission' }],
    ['unknown', { code: 2, message: 'busy', status: 500 }],
  ])('is %s by %j', async (kind, error) => {
    const session = await open();
    const part = await ready(session, 'hello');
    fake.faults.push(error);

    expect((await failureOf(threads.publish(session, part, io()))).kind).toBe(kind);
    expect(fake.posts()).toEqual([]);
  });

  it.each<[string, WireAnswer]>([
    ['fails', { status: 503, json: {} }],
    ['fails with an error', { status: 500, json: { error: { code: 2, message: 'busy' } } }],
    ['has no status', { status: 200, json: {} }],
  ])('is unavailable when the read of its container %s, and goes out when it is repeated', async (_how, answer) => {
    const session = await open();
    const part = await ready(session, 'later');
    fake.answers['GET /:id'] = [answer];

    expect((await failureOf(threads.publish(session, part, io()))).kind).toBe('unavailable');
    await threads.publish(session, part, io());

    expect([fake.posts().length, fake.calls['POST /me/threads_publish']]).toEqual([1, 1]);
  });

  it('with a lost response is found by its container', async () => {
    const session = await open();
    const part = await ready(session, 'lost');
    fake.faults.push('drops_after');

    const { kind } = await failureOf(threads.publish(session, part, io()));

    const [post] = fake.posts();
    expect(kind).toBe('unknown');
    const [container] = fake.containers();
    const found = { platformPostId: post?.id, url: permalink(post?.id), provenId: container?.id };
    expect(await lookFor(session, part)).toEqual(found);
  });

  it('with a lost response is found before 99 later posts', async () => {
    const session = await open();
    const part = await ready(session, 'lost');
    fake.faults.push('drops_after');
    await failureOf(threads.publish(session, part, io()));
    for (let later = 0; later < 99; later += 1) {
      await threads.publish(session, await ready(session, `later ${later}`), io());
    }

    const [post] = fake.posts();
    const [container] = fake.containers();
    const found = { platformPostId: post?.id, url: permalink(post?.id), provenId: container?.id };
    expect(await lookFor(session, part)).toEqual(found);
  });

  it('with a lost request is not published', async () => {
    const session = await open();
    const part = await ready(session, 'lost');
    fake.faults.push('drops_before');

    await failureOf(threads.publish(session, part, io()));

    expect(await lookFor(session, part)).toBe(null);
  });
});

describe('a credential', () => {
  const inDays = (days: number) => new Date(clock.now().getTime() + days * DAY_MS).toISOString();

  it('is used unchanged until ten days before it expires', async () => {
    const session = await open({ expiresAt: inDays(60) });
    clock.advance(49 * DAY_MS);

    await threads.publish(session, await ready(session, 'day 49'), io());

    expect(fake.calls['GET /refresh_access_token']).toBe(undefined);
  });

  it('is renewed once from then on, for sixty days', async () => {
    const session = await open({ expiresAt: inDays(60) });
    clock.advance(50 * DAY_MS);

    await threads.publish(session, await ready(session, 'day 50'), io());

    const renewed = await session.renew(() => Promise.reject(new Error('renewed already')));
    expect(renewed).toEqual({ accessToken: 'long-thebells-2', expiresAt: inDays(60) });
    expect([fake.posts().length, fake.calls['GET /refresh_access_token']]).toEqual([1, 1]);
  });

  it('that cannot be renewed yet is used unchanged', async () => {
    const session = await open({ expiresAt: inDays(1 / 24) });

    await threads.publish(session, await ready(session, 'within the hour'), io());

    expect(fake.posts().length).toBe(1);
  });

  it('with an unknown expiry is never renewed, and invalid when it is refused', async () => {
    const session = await open();
    account.tokens.clear();

    expect(await failureOf(ready(session, 'too late'))).toEqual({
      kind: 'reconnect',
      message: 'Threads does not accept this credential: Error validating access token …',
    });
    expect(fake.calls['GET /refresh_access_token']).toBe(undefined);
  });

  it.each([
    ['dead', { status: 400, json: { error: { code: 190, message: 'expired' } } }, 'reconnect'],
    ['refused for now', { status: 400, json: { error: { code: 100, message: 'too young' } } }, 'unavailable'],
    ['out of order', { status: 500, json: {} }, 'unavailable'],
    ['answered with something else', { status: 200, json: { hello: 1 } }, 'unavailable'],
  ])('whose renewal is %s reports that', async (_case, answer, kind) => {
    fake.answers['GET /refresh_access_token'] = [answer];
    const stale = { accessToken: TOKEN, expiresAt: inDays(5) };

    const renewing = threads.renewal?.renew(stale, io()) ?? Promise.resolve();

    expect((await failureOf(renewing)).kind).toBe(kind);
  });
});
