/** Decoding of any image takes a bounded time, and no account uses up the decoding slots of another. */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTRPCClient, httpLink } from '@trpc/client';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { AppRouter } from '../../routers/index.ts';
import { startImageProcess } from '../../server/image-process.ts';
import { ImageProcessEnded } from '../../services/images/image-job.ts';
import { createImageWork, LOADED_MAX, SENDS, UPLOADS } from '../../services/images/image-work.ts';
import { makeAccount } from '../harness/accounts.ts';
import { holdDecoders } from '../harness/hold-decoders.ts';
import { manyScans, noise, plain, withPackedTexts } from '../harness/images.ts';
import { startWorld, type World } from '../harness/world.ts';
import { connect } from '../mcp/clients.ts';

const PNG = await plain(12, 8).png().toBuffer();
const FACTS = { max: 4, maxBytes: 8_388_608, types: ['image/png'], altTextMax: null };

/** Takes a decoder tens of seconds, in one call that cannot be interrupted. */
const SLOW = manyScans(7_000, 7_000, 883);

const upload = (world: World, bytes: Uint8Array, key = world.liveKey, type = 'image/png') =>
  world.rest('POST /media', { raw: bytes, headers: { 'content-type': type }, key });

/** Occupies every decoder until the returned function is called. */
function occupy(world: World): () => void {
  const { release } = holdDecoders(world);
  for (const owner of ['one', 'two']) world.context.images.inspect(owner, PNG, 'image/png').catch(() => undefined);
  return release;
}

/** Fills the account's queue with images that wait for a slot. */
function fill({ context }: World, accountId: string): Promise<unknown> {
  const inspected = Array.from({ length: UPLOADS.perOwner }, () => context.images.inspect(accountId, PNG, 'image/png'));
  return Promise.all(inspected);
}

/** Holds the reads of one image until the release, or until their signal ends them. */
function holdReads({ media }: World, mediaId: string) {
  const released = Promise.withResolvers<void>();
  let reads = 0;
  const { get } = media;
  media.get = async (key, signal) => {
    if (key !== mediaId) return get(key);
    reads += 1;
    const ended = Promise.withResolvers<never>();
    signal?.addEventListener('abort', () => ended.reject(signal.reason));
    await Promise.race([released.promise, ended.promise]);
    return get(key);
  };
  const begun = (count: number) => vi.waitFor(() => expect(reads).toBe(count), { interval: 5, timeout: 20_000 });
  return { begun, release: released.resolve };
}

/** Posts the image: the send fails without publishing anything, and says why. */
async function expectNotConverted(world: World, mediaId: string, why: string): Promise<void> {
  const { body } = await world.rest('POST /posts', {
    body: { text: 'Ding', connectionSlugs: [world.sandboxSlug], mediaIds: [mediaId] },
  });

  expect(body.results[0]).toMatchObject({
    status: 'failed',
    error: {
      code: 'platform_unavailable',
      message: `Image 1 could not be converted now; nothing was posted. ${why}`,
    },
  });
}

const firstAccount = async (world: World) =>
  (await world.sql<{ id: string }>('select id from accounts order by id limit 1'))[0]!.id;

describe('an image that is slow to decode', () => {
  it('is refused before it is decoded: more than 100 scans in a JPEG', async () => {
    const world = await startWorld();
    const taken = manyScans(64, 64, 100);

    const refused = await upload(world, manyScans(7_000, 7_000, 101), world.liveKey, 'image/jpeg');

    expect(refused.status).toBe(400);
    expect(refused.body).toMatchObject({
      error: 'media_type_mismatch',
      message: 'The JPEG has 101 scans; at most 100 are read.',
      retryable: false,
    });
    expect((await upload(world, taken, world.liveKey, 'image/jpeg')).status).toBe(200);
  });

  it('is refused before it is decoded: more than 20 compressed texts in a PNG', async () => {
    const world = await startWorld();

    const refused = await upload(world, await withPackedTexts(21, 40_000_000));

    expect([refused.status, refused.body.message]).toEqual([
      400,
      'The PNG has 21 compressed texts; at most 20 are read.',
    ]);
    expect((await upload(world, await withPackedTexts(20, 1_000))).status).toBe(200);
  });
});

describe('an image process', () => {
  it('ends at once in the middle of a decode that cannot be interrupted otherwise', async () => {
    const ended = Promise.withResolvers<void>();
    const image = startImageProcess(ended.resolve);
    await image.ready;
    const answer = image.call({ kind: 'convert', bytes: SLOW, type: 'image/jpeg', facts: FACTS });

    image.kill();

    await expect(answer).rejects.toThrow('an image process ended (SIGKILL)');
    await ended.promise;
  });

  it('receives no environment variable that could be a secret', async () => {
    process.env['ENCRYPTION_KEYS'] = 'c2VjcmV0';
    onTestFinished(() => {
      delete process.env['ENCRYPTION_KEYS'];
    });
    const ended = Promise.withResolvers<void>();
    const image = startImageProcess(ended.resolve);
    await image.ready;

    const environment = await readFile(`/proc/${image.pid}/environ`, 'utf8').catch(() => '');
    image.kill();
    await ended.promise;

    expect(environment).not.toContain('ENCRYPTION_KEYS');
    expect(environment).not.toContain('DATABASE_URL');
  });

  it.runIf(process.platform === 'linux')('is ended before the server when memory is short', async () => {
    const ended = Promise.withResolvers<void>();
    const image = startImageProcess(ended.resolve);
    await image.ready;

    const score = await readFile(`/proc/${image.pid}/oom_score_adj`, 'utf8');
    image.kill();
    await ended.promise;

    expect(score).toBe('1000\n');
  });

  it('that is ended twice fails a send without publishing it, and says so', async () => {
    const world = await startWorld();
    const { body } = await upload(world, PNG);
    const run = () => Promise.reject(new ImageProcessEnded('an image process ended (SIGKILL)'));
    Object.assign(world.context.images, createImageWork({ run, decodeMs: 1, close: world.context.images.close }));

    await expectNotConverted(world, body.media.id, 'The process that converted the image was ended, twice.');
  });

  it('that exceeds its deadline is ended, the upload answers 400, and the next upload is decoded', async () => {
    const world = await startWorld();
    const { deadline } = world.clock;
    world.clock.deadline = (ms, parent) => (ms === 15_000 ? AbortSignal.abort() : deadline(ms, parent));

    const refused = await upload(world, manyScans(4_000, 4_000, 100), world.liveKey, 'image/jpeg');
    world.clock.deadline = deadline;
    const taken = await upload(world, PNG);

    expect([refused.status, refused.body.error, refused.body.message]).toEqual([
      400,
      'media_type_mismatch',
      'The JPEG takes longer than 15 s to decode.',
    ]);
    expect(taken.status).toBe(200);
  });
});

describe('a full queue', () => {
  it('answers 503 with Retry-After at once, on every surface, and only to the account that filled it', async () => {
    const world = await startWorld();
    const images = createServer((_request, response) => response.end(PNG)).listen(0, '127.0.0.1');
    await once(images, 'listening');
    onTestFinished(() => void images.close());
    const url = `http://127.0.0.1:${(images.address() as AddressInfo).port}/bell.png`;
    const other = await makeAccount(world);
    const release = occupy(world);
    const filled = fill(world, await firstAccount(world));
    const waiting = upload(world, PNG, other.key);

    const rest = await upload(world, PNG);
    const fromUrl = await world.rest('POST /media/from-url', { body: { url } });
    const typed = createTRPCClient<AppRouter>({
      links: [httpLink({ url: `${world.url}/trpc`, headers: { 'x-api-key': world.liveKey } })],
    });
    const overTrpc = await typed.media.upload
      .mutate({ bytes: PNG.toString('base64'), contentType: 'image/png' })
      .catch((error: { data: unknown }) => error.data);
    const mcp = await connect(world);
    const overMcp = await mcp.callTool({ name: 'upload_media_from_url', arguments: { url } });

    expect([rest.status, rest.headers.get('retry-after'), fromUrl.status, fromUrl.headers.get('retry-after')]).toEqual([
      503,
      '5',
      503,
      '5',
    ]);
    expect(rest.body).toMatchObject({
      error: 'server_busy',
      message: 'Too many images wait to be processed.',
      retryable: true,
    });
    expect(JSON.stringify(overTrpc)).toContain('server_busy');
    expect([overMcp.isError, JSON.stringify(overMcp)]).toEqual([true, expect.stringContaining('server_busy')]);
    release();
    expect((await waiting).status).toBe(200);
    await filled;
    expect((await upload(world, PNG)).status).toBe(200);
  });

  it.each(['uploads', 'conversions'])(
    'of %s does not delay an account by the whole backlog of another',
    async (kind) => {
      const world = await startWorld();
      const { begun, release } = holdDecoders(world);
      const [occupying, greedy, modest] = [PNG, Buffer.from(PNG), Buffer.from(PNG)];
      const { images } = world.context;
      const begin = (owner: string, bytes: Buffer) =>
        kind === 'uploads'
          ? images.inspect(owner, bytes, 'image/png')
          : images.convert({ owner, limit: UPLOADS }, { type: 'image/png', facts: FACTS, load: async () => bytes });
      const all = [
        ...['one', 'two'].map((owner) => begin(owner, occupying)),
        ...Array.from({ length: UPLOADS.perOwner }, () => begin('greedy', greedy)),
        begin('modest', modest),
      ];

      release();
      await Promise.all(all);

      const position = begun.filter(({ bytes }) => bytes !== occupying).findIndex(({ bytes }) => bytes === modest);
      expect(position).toBeLessThan(kind === 'uploads' ? 2 : LOADED_MAX / 2);
    },
  );

  it('lets a send wait for a slot, and the post is published', async () => {
    const world = await startWorld();
    const { body } = await upload(world, PNG);
    const release = occupy(world);
    const filled = fill(world, await firstAccount(world));

    const sending = world.rest('POST /posts', {
      body: { text: 'Ding', connectionSlugs: [world.sandboxSlug], mediaIds: [body.media.id] },
    });
    release();
    const sent = await sending;
    await filled;

    expect([sent.status, sent.body.results[0].status]).toEqual([200, 'sent']);
  });

  it('fails a send that waits too long without publishing it, and reports that', async () => {
    const world = await startWorld();
    const { body } = await upload(world, PNG);
    const release = occupy(world);
    const { deadline } = world.clock;
    world.clock.deadline = (ms, parent) => (ms === 40_000 ? AbortSignal.abort() : deadline(ms, parent));

    const { body: answer } = await world.rest('POST /posts', {
      body: { text: 'Ding', connectionSlugs: [world.sandboxSlug], mediaIds: [body.media.id] },
    });
    world.clock.deadline = deadline;
    release();

    expect(answer.results[0]).toMatchObject({
      status: 'failed',
      error: {
        code: 'platform_unavailable',
        message: 'Converting image 1 took too long; nothing was posted.',
      },
    });
    expect(await world.sql('select id from sandbox_posts')).toEqual([]);
  });
});

describe('a storage', () => {
  it('that does not answer occupies no decoder: another account uploads and posts an image meanwhile', async () => {
    const world = await startWorld();
    const other = await makeAccount(world);
    await world.rest('POST /connections', {
      body: { platformId: 'sandbox', slug: 'other', credentials: {} },
      key: other.key,
    });
    const post = (key: string, slug: string, mediaId: string) =>
      world.rest('POST /posts', { body: { text: 'Ding', connectionSlugs: [slug], mediaIds: [mediaId] }, key });
    const { body } = await upload(world, PNG);
    const held = holdReads(world, body.media.id);
    const sending = Array.from({ length: 4 }, () => post(world.liveKey, world.sandboxSlug, body.media.id));
    await held.begun(4);

    const uploaded = await upload(world, PNG, other.key);
    const posted = await post(other.key, 'other', uploaded.body.media.id);

    expect([uploaded.status, posted.body.results[0].status]).toEqual([200, 'sent']);
    held.release();
    const results = (await Promise.all(sending)).map((sent) => sent.body.results[0].status);
    expect(results).toEqual(['sent', 'sent', 'sent', 'sent']);
  });

  it('that gives a part of an image fails the send without publishing it, and says so', async () => {
    const world = await startWorld({ logLevel: 'warn' });
    const { body } = await upload(world, PNG);
    world.media.stored.set(body.media.id, PNG.subarray(0, PNG.length - 9));

    await expectNotConverted(
      world,
      body.media.id,
      'What is stored of it is damaged; if this continues, upload it again.',
    );
    expect(world.logged.join('')).toContain(body.media.id);
  });

  it('that does not answer is no longer read after the deadline of a send, which reports the storage', async () => {
    const world = await startWorld();
    const { body } = await upload(world, PNG);
    const held = holdReads(world, body.media.id);
    const { deadline } = world.clock;
    const ended = new AbortController();
    world.clock.deadline = (ms, parent) => (ms === 40_000 ? ended.signal : deadline(ms, parent));
    const sending = world.rest('POST /posts', {
      body: { text: 'Ding', connectionSlugs: [world.sandboxSlug], mediaIds: [body.media.id] },
    });
    await held.begun(1);

    ended.abort();

    expect((await sending).body.results[0]).toMatchObject({
      status: 'failed',
      error: {
        code: 'platform_unavailable',
        message: 'Image 1 could not be read from the storage of this install; nothing was posted.',
      },
    });
  });

  it('is read for at most eight conversions at a time, however many wait', async () => {
    const world = await startWorld();
    const { release } = holdDecoders(world);
    let reads = 0;
    const load = async () => {
      reads += 1;
      return PNG;
    };
    const converting = Array.from({ length: 20 }, (_one, index) =>
      world.context.images.convert(
        { owner: `account ${index}`, limit: SENDS },
        { type: 'image/png', facts: FACTS, load },
      ),
    );
    await new Promise(setImmediate);

    expect(reads).toBe(LOADED_MAX);
    release();
    expect(await Promise.all(converting)).not.toContain(null);
    expect(reads).toBe(20);
  });
});

describe('an ordinary photograph', () => {
  it('is accepted: progressive, with the scans that encoders write', async () => {
    const world = await startWorld();
    const photo = await noise(600, 400).jpeg({ progressive: true, mozjpeg: true }).toBuffer();

    expect((await upload(world, photo, world.liveKey, 'image/jpeg')).status).toBe(200);
  });
});
