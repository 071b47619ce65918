/** The contract of every platform with the app, tested through the REST API against a fake server. */
import { afterAll, describe, expect, it } from 'vitest';
import { type JsonObject, PlatformFailure } from '../../platforms/contract.ts';
import { PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';
import { openSession } from '../../services/connections/open-session.ts';
import { platformIo } from '../../services/platform-io.ts';
import { readDueMetrics } from '../../services/metrics/read-due-metrics.ts';
import { START } from '../harness/test-clock.ts';
import { plain } from '../harness/images.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { startPlatformServers } from './servers/index.ts';
import { sandboxServer } from './servers/sandbox.ts';
import type { PlatformServer } from './servers/platform-server.ts';
import { NO_POST } from '../harness/expected.ts';

const started = await startPlatformServers({
  now: () => START,
  // Base URL from which the fake servers fetch this install's images.
  reach: (url) => url.replace(PUBLIC_URL, world.url),
});
afterAll(() => started[Symbol.asyncDispose]());
const world: World = await startWorld({ env: started.env });
const servers: readonly PlatformServer[] = [...started.all, sandboxServer(world)];

/** A connection with the send of a post. */
interface SearchedPost {
  readonly id: string;
  readonly platformAccountId: string;
  readonly handle: string;
  readonly credentials: string;
  readonly token: string;
  readonly prepared: JsonObject | null;
  readonly started_at: string;
}

const FAMILY = '👩‍👩‍👧‍👦';

async function connect({ platformId, credentials }: PlatformServer): Promise<string> {
  const { body } = await world.rest('POST /connections', {
    body: { platformId, credentials, slug: `to-${platformId}` },
  });
  return body.connection.slug;
}

let uploaded = 0;

/** Uploads an image; each one is different. */
async function uploadImage(): Promise<string> {
  uploaded += 1;
  const raw = await plain(40 + uploaded, 40 + uploaded)
    .png()
    .toBuffer();
  const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

async function uploadImages(count: number): Promise<{ id: string }[]> {
  const images: { id: string }[] = [];
  while (images.length < count) images.push({ id: await uploadImage() });
  return images;
}

/** Maximum images per post in the app, for any platform. */
const IMAGES_PER_POST = 5;

let anyImage: Promise<string> | undefined;

async function post({ platformId, needsImage }: PlatformServer, text: string, more: object = {}) {
  const media = needsImage === true && !('media' in more) ? { mediaIds: [await (anyImage ??= uploadImage())] } : {};
  const connectionSlugs = [`to-${platformId}`];
  const { body } = await world.rest('POST /posts', { body: { text, connectionSlugs, ...media, ...more } });
  return body.results[0];
}

it('covers every platform', () => {
  expect(servers.map(({ platformId }) => platformId)).toEqual([...PLATFORM_IDS]);
});

describe.for(servers)('$platformId', (server) => {
  let slug = '';
  const { permalink, images, thread, firstComment } = platformOf(world.context.platforms, server.platformId);
  const existingCount = async (text: string) => (await server.existing()).filter((one) => one === text).length;

  it('connects an account with valid credentials', async () => {
    slug = await connect(server);

    expect(slug).toBe(`to-${server.platformId}`);
  });

  it('accepts a text of exactly its limit', async () => {
    const text = 'é'.repeat(server.maxLength);

    const result = await post(server, text);

    expect([result.status, result.error, await existingCount(text)]).toEqual(['sent', null, 1]);
  });

  it('receives no call for a text one over its limit', async () => {
    const text = 'n'.repeat(server.maxLength + 1);

    const result = await post(server, text);

    expect(result).toEqual({
      connectionSlug: slug,
      ...NO_POST,
      error: {
        code: 'platform_rejected',
        message: expect.stringMatching(
          new RegExp(`${server.maxLength + 1} ((weighted )?characters|UTF-16 units).*at most ${server.maxLength}`),
        ),
      },
    });
    expect(await existingCount(text)).toBe(0);
  });

  it('counts an emoji of several code points as its facts say', async () => {
    const fitting = await post(server, FAMILY.repeat(server.maxFamilies));
    const tooLong = await post(server, FAMILY.repeat(server.maxFamilies + 1));

    expect([fitting.error, tooLong.error.code, tooLong.postId]).toEqual([null, 'platform_rejected', null]);
  });

  it.skipIf(server.hasNoReadBack)('is not searched in vain when the clock was set back since the send', async () => {
    const text = 'sent by a clock that was fast';
    const { postId } = await post(server, text);
    const [stored] = await world.sql<SearchedPost>(
      `select c.id, c.platform_account_id as "platformAccountId", c.handle, c.credentials, a.token, a.prepared, a.started_at
       from posts p join connections c on c.id = p.connection_id join attempts a on a.post_id = p.id where p.id = $1`,
      [postId],
    );
    if (stored === undefined) throw new Error('nothing was sent');
    const { token, prepared, started_at: startedAt, ...login } = stored;
    const connection = { ...login, lastUsed: login.credentials };
    const platform = platformOf(world.context.platforms, server.platformId);
    const part = { step: 'head', index: 0, text, token, prepared, startedAt: new Date(startedAt) } as const;
    const io = { ...platformIo(world.context, 10_000), now: () => new Date(START.getTime() - 600_000) };

    const found = await platform
      .readBack?.(openSession(world.context, platform, connection), part, io)
      .catch((error: unknown) => error);

    // Without a post, the send would be repeated.
    expect(found).not.toBeNull();
    expect(found instanceof PlatformFailure ? found.kind : 'found').toMatch(/^(?:found|unknown)$/);
  });

  it('posts nothing when it asks to wait, and reports that', async () => {
    const text = server.textMeeting('rate_limited', 'refused for now');

    const result = await post(server, text);

    expect([result.status, result.error.code, await existingCount(text)]).toEqual([
      'failed',
      'platform_unavailable',
      0,
    ]);
  });

  it.skipIf(server.hasNoReadBack)('keeps one post and reports it as sent when its response is lost', async () => {
    const text = server.textMeeting('drops_after', 'answered into the void');

    const result = await post(server, text);

    expect([result.status, await existingCount(text)]).toEqual(['sent', 1]);
    expect(result.url).toEqual(permalink ? expect.stringMatching(/^https?:\/\//) : null);
  });

  it.runIf(server.hasNoReadBack).for(['drops_before', 'drops_after', 'fails_before', 'fails_after'] as const)(
    'is called only once when the call %s storing, and the caller is asked to check the platform',
    async (fault) => {
      const text = server.textMeeting(fault, `lost: ${fault}`);

      const result = await post(server, text);

      const stored = fault.endsWith('after') ? 1 : 0;
      expect([result.status, result.error.code, await existingCount(text)]).toEqual([
        'failed',
        'outcome_unknown',
        stored,
      ]);
    },
  );

  const hasReadBack = server.platformId !== 'sandbox' && server.hasNoReadBack === undefined;
  it.runIf(hasReadBack).for(['drops_before', 'fails_before'] as const)(
    'has no post after the call %s storing, and the caller may resend',
    async (fault) => {
      const text = server.textMeeting(fault, `never stored: ${fault}`);

      const result = await post(server, text);

      expect([result.status, result.error.code, await existingCount(text)]).toEqual([
        'failed',
        'platform_unavailable',
        0,
      ]);
    },
  );

  it.runIf(hasReadBack)('keeps one post when it answers 500 after storing it', async () => {
    const text = server.textMeeting('fails_after', 'stored, then failed');

    const result = await post(server, text);

    expect([result.status, await existingCount(text)]).toEqual(['sent', 1]);
  });

  it.skipIf(server.needsImage)('returns the link from the original endpoint, or that the post was sent', async () => {
    const { status, body } = await world.rest(`POST /post/${slug}`, {
      raw: 'in plain words',
      headers: { 'content-type': 'text/plain' },
    });

    const { platformId: platform } = server;
    expect(status).toBe(200);
    expect(body).toEqual(permalink ? { platform, link: expect.stringMatching(/^https?:/) } : { platform, sent: true });
  });

  const hasDelete = world.context.platforms[server.platformId].remove !== undefined;

  it.runIf(!hasDelete)('refuses to delete a post if the platform has no delete, and keeps it', async () => {
    const { postId } = await post(server, 'here to stay');

    const { status, body } = await world.rest(`DELETE /posts/${postId}`);

    expect([status, body.error, await existingCount('here to stay')]).toEqual([400, 'delete_unsupported', 1]);
  });

  it.runIf(hasDelete)('deletes a post, and answers a repeated delete the same', async () => {
    const { postId } = await post(server, 'soon gone');

    const first = await world.rest(`DELETE /posts/${postId}`);
    const second = await world.rest(`DELETE /posts/${postId}`);

    expect(first.body).toEqual({ id: postId, status: 'deleted', deletedAt: START.toISOString() });
    expect([second.status, second.body]).toEqual([200, first.body]);
    expect(await existingCount('soon gone')).toBe(0);
  });

  it.runIf(thread)('publishes a thread in order, and deletes it newest first', async () => {
    const before = await server.existing();

    const result = await post(server, 'one', { thread: ['two', 'three'] });

    expect([result.status, result.threadCount, result.error]).toEqual(['sent', 2, null]);
    expect(await server.existing()).toEqual([...before, 'one', 'two', 'three']);
    await world.rest(`DELETE /posts/${result.postId}`);
    expect(await server.existing()).toEqual(before);
    const { attempts } = (await world.rest(`GET /posts/${result.postId}/attempts`)).body as { attempts: Attempt[] };
    const idsOf = (isDelete: boolean) =>
      attempts.filter(({ step }) => (step === 'delete') === isDelete).map(({ platformPostId }) => platformPostId);
    expect(idsOf(true)).toEqual(idsOf(false).toReversed());
  });

  it.skipIf(thread)('receives no call with replies if it has no threads', async () => {
    const result = await post(server, 'alone', { thread: ['under it'] });

    expect([result.status, result.error.code, await existingCount('alone')]).toEqual([
      'failed',
      'shape_unsupported',
      0,
    ]);
  });

  it.runIf(firstComment)('publishes a first comment under a post', async () => {
    const result = await post(server, 'with a comment', { firstComment: 'first!' });

    expect([result.status, result.hasFirstComment, server.comments?.()]).toEqual(['sent', true, ['first!']]);
  });

  it.skipIf(firstComment)('receives no call with a first comment if it has none', async () => {
    const result = await post(server, 'without a comment', { firstComment: 'first!' });

    expect([result.status, result.error.code, await existingCount('without a comment')]).toEqual([
      'failed',
      'shape_unsupported',
      0,
    ]);
  });

  it.runIf(images)('shows an image with its alt text, if it stores alt text', async () => {
    const result = await post(server, 'described', { media: [{ id: await uploadImage(), altText: 'A bell' }] });

    expect([result.status, result.error]).toEqual(['sent', null]);
    expect(await server.lastImages()).toEqual([{ altText: images?.altTextMax === null ? null : 'A bell' }]);
  });

  it.runIf(images)('accepts its maximum number of images', async () => {
    const media = await uploadImages(Math.min(images?.max ?? 0, IMAGES_PER_POST));

    const result = await post(server, 'all that fit', { media });

    expect([result.status, result.error]).toEqual(['sent', null]);
    expect(await server.lastImages()).toHaveLength(media.length);
  });

  it.runIf(images && images.max < IMAGES_PER_POST)('receives no call with more images than its maximum', async () => {
    const media = await uploadImages((images?.max ?? 0) + 1);

    const result = await post(server, 'one too many', { media });

    expect([result.status, result.postId, result.error.code]).toEqual(['failed', null, 'platform_rejected']);
    expect(await existingCount('one too many')).toBe(0);
  });

  it.skipIf(images)('receives no call with an image if it supports none', async () => {
    const result = await post(server, 'pictured', { media: await uploadImages(1) });

    expect([result.status, result.error.code, await existingCount('pictured')]).toEqual([
      'failed',
      'media_unsupported',
      0,
    ]);
  });

  it('reports exactly the metrics that its facts list', async () => {
    const { metrics } = platformOf(world.context.platforms, server.platformId);
    const { postId } = await post(server, 'to be counted');
    server.giveNumbers?.();
    await world.sql('update accounts set x_analytics = true');
    await world.sql('update connections set backoff_until = null');
    await world.sql(
      `update posts set sent_at = sent_at - interval '1 hour', next_read_at = $2 where id = $1 and next_read_at is not null`,
      [postId, START],
    );

    await readDueMetrics(world.context, new AbortController().signal);

    const { body } = await world.rest(`GET /posts/${postId}/metrics`);
    const { fetchedAt: _, ...numbers } = body.latest ?? {};
    expect(body.history).toHaveLength(metrics.length === 0 ? 0 : 1);
    expect(Object.keys(numbers).filter((name) => numbers[name] !== null)).toEqual(metrics);
  });

  it.skipIf(server.revoke === null)('asks to reconnect when its credential is invalid', async () => {
    server.revoke?.();
    const text = server.platformId === 'sandbox' ? 'locked out [[reconnect]]' : 'locked out';

    const result = await post(server, text);

    expect([result.status, result.error.code, await existingCount(text)]).toEqual(['failed', 'reconnect_required', 0]);
  });
});

/** One call to a platform, as GET /posts/{postId}/attempts lists it. */
interface Attempt {
  readonly step: string;
  readonly platformPostId: string | null;
}
