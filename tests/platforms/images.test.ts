/** Image uploads before a post: how the adapters of Bluesky, Mastodon and X handle each response. */
import { afterEach, describe, expect, it } from 'vitest';
import { bluesky } from '../../platforms/bluesky/index.ts';
import { makeTid } from '../../platforms/bluesky/tid.ts';
import type { FetchInit, Json, OutgoingImage, PlatformIo, SendPart } from '../../platforms/contract.ts';
import { mastodon } from '../../platforms/mastodon/index.ts';
import { x } from '../../platforms/x/index.ts';
import { startFakeBluesky } from './fakes/fake-bluesky.ts';
import { type FakeMastodonOptions, startFakeMastodon } from './fakes/fake-mastodon.ts';
import { type FakeXOptions, startFakeX } from './fakes/fake-x.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const clock = new StoppedClock();
const IMAGE: OutgoingImage = {
  mediaId: 'm',
  bytes: Buffer.from('a picture'),
  contentType: 'image/png',
  width: 3,
  height: 2,
  altText: 'A bell',
};

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

function part(text: string, prepared: Json | null): SendPart {
  const startedAt = clock.now();
  return { ...headPart(text, makeTid(startedAt, text), startedAt), prepared };
}

/** Answers calls to one path with a given response, and passes the others on. */
function answering(io: PlatformIo, path: string, answer: () => Promise<Response>): PlatformIo {
  return {
    ...io,
    fetch: (url: string | URL, init: FetchInit = {}) => (String(url).includes(path) ? answer() : io.fetch(url, init)),
  };
}

const ANSWERS = [
  ['HTTP 429', () => Promise.resolve(Response.json({ error: 'RateLimitExceeded' }, { status: 429 })), 'unavailable'],
  ['HTTP 500', () => Promise.resolve(Response.json({ error: 'InternalServerError' }, { status: 500 })), 'unavailable'],
  ['no answer', () => Promise.reject(new Error('reset')), 'unavailable'],
  ['a page of a proxy', () => Promise.resolve(new Response('<html>', { status: 413 })), 'unavailable'],
  ['JSON of somebody else', () => Promise.resolve(Response.json({ hello: 1 })), 'unavailable'],
  ['HTTP 413', () => Promise.resolve(Response.json({ error: 'PayloadTooLarge' }, { status: 413 })), 'rejected'],
] as const;

describe('bluesky', () => {
  async function start() {
    const fake = await startFakeBluesky(clock);
    open.push(fake);
    fake.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
    const io = testIo(clock.now, { BLUESKY_SERVICE_URL: fake.url });
    const account = await bluesky.connectAccount({ identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' }, io);
    return { fake, io, session: sessionOf(account) };
  }

  it('returns the embed that the record contains', async () => {
    const { fake, io, session } = await start();

    const prepared = (await bluesky.prepare?.(session, [IMAGE], io)) ?? null;
    await bluesky.publish(session, part('hello', prepared), io);

    const [cid] = [...fake.blobs.keys()];
    expect(prepared).toEqual({
      $type: 'app.bsky.embed.images',
      images: [
        {
          image: { $type: 'blob', ref: { $link: cid }, mimeType: 'image/png', size: 9 },
          alt: 'A bell',
          aspectRatio: { width: 3, height: 2 },
        },
      ],
    });
    expect(fake.posts()[0]?.record.embed).toEqual(prepared);
  });

  it('creates one post from two attempts with the same images', async () => {
    const { fake, io, session } = await start();
    const prepared = (await bluesky.prepare?.(session, [IMAGE], io)) ?? null;
    fake.faults.push('drops_after');
    const head = part('once', prepared);
    await failureOf(bluesky.publish(session, head, io));

    await bluesky.publish(session, head, io);

    expect([fake.posts().length, fake.calls['com.atproto.repo.uploadBlob']]).toEqual([1, 1]);
  });

  it('is rejected with the server’s message when a record references a missing image', async () => {
    const { fake, io, session } = await start();
    const prepared = (await bluesky.prepare?.(session, [IMAGE], io)) ?? null;
    fake.blobs.clear();

    expect(await failureOf(bluesky.publish(session, part('late', prepared), io))).toEqual({
      kind: 'rejected',
      message: expect.stringContaining('Could not find blob') as string,
    });
  });

  it.each(ANSWERS)('handles %s to an upload', async (_case, answer, kind) => {
    const { io, session } = await start();

    const call = bluesky.prepare?.(session, [IMAGE], answering(io, 'uploadBlob', answer)) ?? Promise.resolve();

    expect((await failureOf(call)).kind).toBe(kind);
  });

  it('needs reconnecting when the account was deactivated', async () => {
    const { fake, io, session } = await start();
    fake.accounts[0]!.appPasswords.clear();
    fake.dropRefreshTokens();
    fake.expireAccessTokens();

    expect(await failureOf(bluesky.prepare?.(session, [IMAGE], io) ?? Promise.resolve())).toMatchObject({
      kind: 'reconnect',
    });
  });
});

describe('mastodon', () => {
  async function start(options: Partial<FakeMastodonOptions> = {}, timeoutMs = 10_000) {
    const fake = await startFakeMastodon({ now: clock.now, ...options });
    open.push(fake);
    fake.addAccount('alice', 'token');
    const io = testIo(clock.now, {}, timeoutMs);
    const account = await mastodon.connectAccount({ instanceUrl: fake.url, accessToken: 'token' }, io);
    return { fake, io, account, session: sessionOf(account) };
  }

  it('sends file and description, and returns the ids that the status references', async () => {
    const { fake, io, session } = await start();

    const prepared = (await mastodon.prepare?.(session, [IMAGE, { ...IMAGE, altText: '' }], io)) ?? null;
    await mastodon.publish(session, part('hello', prepared), io);

    const ids = fake.images().map(({ id }) => id);
    expect(prepared).toEqual({ mediaIds: ids });
    expect(fake.images().map(({ bytes, type, description }) => [bytes.toString(), type, description])).toEqual([
      ['a picture', 'image/png', 'A bell'],
      ['a picture', 'image/png', null],
    ]);
    expect(fake.posts()[0]?.mediaIds).toEqual(ids);
  });

  it('waits for images that are being processed, longer each time', async () => {
    const { fake, io, session } = await start({ looksUntilProcessed: 4 });
    const waits: number[] = [];
    const noting = { ...io, sleep: async (ms: number) => void waits.push(ms) };

    const prepared = (await mastodon.prepare?.(session, [IMAGE], noting)) ?? null;
    await mastodon.publish(session, part('hello', prepared), io);

    expect(waits).toEqual([250, 375, 562.5, 843.75]);
    expect(fake.posts()).toHaveLength(1);
  });

  it('is unavailable when an image is never processed: after the timeout, or after the last check', async () => {
    const { io, session } = await start({ looksUntilProcessed: Infinity }, 600);
    const tireless = { ...io, sleep: async () => undefined, signal: AbortSignal.timeout(10_000) };
    const expected = {
      kind: 'unavailable',
      message: 'The Mastodon server is still processing an image; nothing was posted.',
    };

    expect(await failureOf(mastodon.prepare?.(session, [IMAGE], io) ?? Promise.resolve())).toEqual(expected);
    expect(await failureOf(mastodon.prepare?.(session, [IMAGE], tireless) ?? Promise.resolve())).toEqual(expected);
  });

  it.each(ANSWERS)('handles %s to an upload', async (_case, answer, kind) => {
    const { io, session } = await start();

    const call = mastodon.prepare?.(session, [IMAGE], answering(io, '/api/v2/media', answer)) ?? Promise.resolve();

    expect((await failureOf(call)).kind).toBe(kind);
  });

  it('is rejected with the server’s message when it cannot process an image', async () => {
    const { io, session } = await start({ looksUntilProcessed: 9 });
    const failing = answering(io, '/api/v1/media/', () =>
      Promise.resolve(Response.json({ error: 'Validation failed: broken' }, { status: 422 })),
    );

    expect(await failureOf(mastodon.prepare?.(session, [IMAGE], failing) ?? Promise.resolve())).toEqual({
      kind: 'rejected',
      message: 'The Mastodon server refused: Validation failed: broken',
    });
  });

  it('reads the limits of its server', async () => {
    const media_attachments = {
      supported_mime_types: ['image/png', 'video/mp4'],
      image_size_limit: 10,
      image_matrix_limit: 20,
      description_limit: 30,
    };
    const { account } = await start({ mediaConfiguration: { media_attachments } });

    expect(account.limits?.images).toEqual({ maxBytes: 10, maxPixels: 20, altTextMax: 30, types: ['image/png'] });
  });

  it('ignores invalid limits', async () => {
    const { account } = await start({
      mediaConfiguration: { media_attachments: { supported_mime_types: ['video/mp4'], image_size_limit: -1 } },
    });

    expect(account.limits).toEqual({ text: { maxLength: 500, urlLength: 23 } });
  });
});

describe('x', () => {
  async function start(options: Partial<FakeXOptions> = {}, timeoutMs = 10_000) {
    const fake = await startFakeX({ now: clock.now, ...options });
    open.push(fake);
    fake.addAccount('alice', 'token');
    const io = testIo(clock.now, { X_API_URL: fake.url }, timeoutMs);
    return { fake, io, session: sessionOf(await x.connectAccount({ accessToken: 'token' }, io)) };
  }

  it('sends files, then alt texts, and returns the ids that the post references', async () => {
    const { fake, io, session } = await start();

    const prepared = (await x.prepare?.(session, [IMAGE, { ...IMAGE, altText: '' }], io)) ?? null;
    await x.publish(session, part('hello', prepared), io);

    const ids = fake.images().map(({ id }) => id);
    expect(prepared).toEqual({ mediaIds: ids });
    expect(fake.images().map(({ bytes, type, altText }) => [bytes.toString(), type, altText])).toEqual([
      ['a picture', 'image/png', 'A bell'],
      ['a picture', 'image/png', null],
    ]);
    expect(fake.posts()[0]?.mediaIds).toEqual(ids);
    expect(fake.calls['POST /2/media/metadata']).toBe(1);
  });

  it('waits for images that are being processed, for the time that X requests', async () => {
    const { fake, io, session } = await start({ looksUntilProcessed: 2 });
    const waits: number[] = [];
    const noting = { ...io, sleep: async (ms: number) => void waits.push(ms) };

    const prepared = (await x.prepare?.(session, [IMAGE], noting)) ?? null;
    await x.publish(session, part('hello', prepared), io);

    expect(waits).toEqual([2_000, 2_000]);
    expect(fake.posts()).toHaveLength(1);
  });

  it('is unavailable when an image is never processed: after the timeout, or after the last check', async () => {
    const { io, session } = await start({ looksUntilProcessed: Infinity }, 300);
    const tireless = { ...io, sleep: async () => undefined, signal: AbortSignal.timeout(10_000) };
    const expected = { kind: 'unavailable', message: 'X is still processing an image; nothing was posted.' };

    expect(await failureOf(x.prepare?.(session, [IMAGE], io) ?? Promise.resolve())).toEqual(expected);
    expect(await failureOf(x.prepare?.(session, [IMAGE], tireless) ?? Promise.resolve())).toEqual(expected);
  });

  it.each(ANSWERS)('handles %s to an upload', async (_case, answer, kind) => {
    const { io, session } = await start();

    const call = x.prepare?.(session, [IMAGE], answering(io, '/2/media/upload', answer)) ?? Promise.resolve();

    expect((await failureOf(call)).kind).toBe(kind);
  });

  it('is rejected when X cannot process an image', async () => {
    const { fake, io, session } = await start();
    fake.answers['POST /2/media/upload'] = [
      { status: 200, json: { data: { id: '18', processing_info: { state: 'failed' } } } },
    ];

    expect(await failureOf(x.prepare?.(session, [IMAGE], io) ?? Promise.resolve())).toEqual({
      kind: 'rejected',
      message: 'X refused: it could not process an image.',
    });
  });

  it('is rejected when X refuses the alt text of an image', async () => {
    const { io, session } = await start();

    const call = x.prepare?.(session, [{ ...IMAGE, altText: 'a'.repeat(1001) }], io) ?? Promise.resolve();

    expect(await failureOf(call)).toEqual({ kind: 'rejected', message: 'X refused: The metadata is invalid.' });
  });

  it('needs reconnecting when the token lacks the scope for images', async () => {
    const { fake, io, session } = await start();
    fake.answers['POST /2/media/upload'] = [
      { status: 403, json: { title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' } },
    ];

    expect(await failureOf(x.prepare?.(session, [IMAGE], io) ?? Promise.resolve())).toMatchObject({
      kind: 'reconnect',
    });
  });
});
