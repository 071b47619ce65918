/**
 * Posts to platforms that require images, limit their shapes, or fetch them from this install are refused before they
 * are stored (docs/contract/posts.md#refused-before-sending).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { PUBLIC_URL, startWorld, type World } from '../../harness/world.ts';
import { startFakeInstagram } from '../../platforms/fakes/fake-instagram.ts';
import { startFakeThreads } from '../../platforms/fakes/fake-threads.ts';

const fetches: string[] = [];
const reach = (url: string) => {
  fetches.push(url);
  return url.replace(PUBLIC_URL, world.url);
};
const instagram = await startFakeInstagram({ now: () => START, reach });
const threads = await startFakeThreads({ now: () => START, reach });
const env = { META_GRAPH_URL: instagram.url, THREADS_API_URL: threads.url };
const world = await startWorld({ env });
afterAll(() => Promise.all([instagram.close(), threads.close()]));

instagram.addAccount('17841400000000001', 'thebells', 'token-of-insta');
threads.addAccount('24000000000000001', 'thebells', 'token-of-threads');

beforeAll(async () => {
  const connect = (platformId: string, slug: string, credentials: object) =>
    world.rest('POST /connections', { body: { platformId, slug, credentials } });
  await connect('instagram', 'insta', { userId: '17841400000000001', accessToken: 'token-of-insta' });
  await connect('threads', 'threads', { accessToken: 'token-of-threads' });
});

async function upload(width: number, height: number, altText = '', to: World = world): Promise<string> {
  const raw = await plain(width, height).png().toBuffer();
  const path = `POST /media${altText === '' ? '' : `?altText=${altText}`}` as const;
  const { body } = await to.rest(path, { raw, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

async function post(slug: string, fields: object) {
  const body = { text: 'Ding', connectionSlugs: [slug], ...fields };
  return (await world.rest('POST /posts', { body })).body.results[0];
}

const refusal = (message: string) => ({
  status: 'failed',
  postId: null,
  error: { code: 'platform_rejected', message },
});

const NO_IMAGE = 'The post has no image; Instagram needs at least 1. Upload one and add its id to media.';
const TOO_TALL =
  'Image 2 is 40 by 80 pixels, a ratio of 0.5:1; Instagram takes ratios from 4:5 to 1.91:1. Crop it, upload it again and use the new id.';

describe('images that are fetched', () => {
  it('are fetched by the platform at signed URLs, in an accepted format, with their alt texts', async () => {
    const ids = [await upload(40, 40, 'One'), await upload(50, 40, 'Two')];

    const [onInstagram, onThreads] = [await post('insta', { mediaIds: ids }), await post('threads', { mediaIds: ids })];

    expect([onInstagram.error, onThreads.error]).toEqual([null, null]);
    const shown = [...instagram.posts(), ...threads.posts()].map(({ images }) =>
      images.map(({ type, altText }) => `${type}: ${altText}`),
    );
    expect(shown).toEqual([
      ['image/jpeg: One', 'image/jpeg: Two'],
      ['image/png: One', 'image/png: Two'],
    ]);
    expect(fetches.map((url) => new URL(url).pathname)).toEqual([
      ...ids.map((id) => `/media/public/instagram/${id}`),
      ...ids.map((id) => `/media/public/threads/${id}`),
    ]);
  });

  it('are not needed by a platform that accepts text only', async () => {
    const result = await post('threads', { text: 'no picture' });

    expect([result.status, threads.posts().at(-1)?.text]).toEqual(['sent', 'no picture']);
  });
});

describe('a post without an image to a platform that requires one', () => {
  it.each([{}, { isDraft: true }, { scheduledFor: '2026-11-22T09:00:00Z' }])(
    'is refused and not stored: %j',
    async (fields) => {
      expect(await post('insta', fields)).toMatchObject(refusal(NO_IMAGE));
    },
  );

  it('is reported by validation', async () => {
    const { body } = await world.rest('POST /posts/validate', { body: { text: 'Ding', connectionSlugs: ['insta'] } });

    expect(body.results[0]).toMatchObject({ ok: false, error: { code: 'platform_rejected', message: NO_IMAGE } });
  });

  it('cannot be created from a draft', async () => {
    const { postId } = await post('insta', { isDraft: true, mediaIds: [await upload(40, 40)] });

    const { status, body } = await world.rest(`PATCH /posts/${postId}`, { body: { mediaIds: [] } });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', NO_IMAGE]);
  });
});

describe('an image with an aspect ratio that the platform does not accept', () => {
  it('is refused and not stored, with its aspect ratio and the limit', async () => {
    const mediaIds = [await upload(40, 40), await upload(40, 80)];

    expect(await post('insta', { mediaIds })).toMatchObject(refusal(TOO_TALL));
    expect((await post('threads', { mediaIds })).status).toBe('sent');
  });

  it.each([
    [40, 50, 'sent'],
    [40, 51, 'failed'],
    [191, 100, 'sent'],
    [192, 100, 'failed'],
  ])('%i by %i is %s', async (width, height, status) => {
    expect((await post('insta', { mediaIds: [await upload(width, height)] })).status).toBe(status);
  });

  it('cannot be added to a draft', async () => {
    const { postId } = await post('insta', { isDraft: true, mediaIds: [await upload(40, 40)] });
    const body = { mediaIds: [await upload(40, 40), await upload(40, 80)] };

    expect((await world.rest(`PATCH /posts/${postId}`, { body })).body.message).toBe(TOO_TALL);
  });
});

describe('a text with more hashtags or mentions than the platform accepts', () => {
  it.each([
    ['hashtags', '#', 30],
    ['mentions', '@', 20],
  ])('is refused for its %s', async (what, sign, max) => {
    const mediaIds = [await upload(40, 40)];
    const text = (count: number) => Array.from({ length: count }, (_, index) => `${sign}bell${index}`).join(' ');

    const [most, more] = [
      await post('insta', { text: text(max), mediaIds }),
      await post('insta', { text: text(max + 1), mediaIds }),
    ];

    expect(most.status).toBe('sent');
    expect(more).toMatchObject(refusal(`The text has ${max + 1} ${what}; Instagram takes at most ${max}.`));
  });
});

describe('an install that the platform cannot reach', () => {
  it.each([
    ['http://localhost:3000', 'https://graph.threads.net', false],
    ['https://bells.local', 'https://graph.threads.net', false],
    ['https://192.168.1.2', 'https://graph.threads.net', false],
    ['http://bells.example', 'https://graph.threads.net', false],
    ['https://bells.example', 'https://graph.threads.net', true],
    ['http://localhost:3000', 'http://127.0.0.1:4000', true],
  ])('%s, by %s: a post with an image is %s, a text is always accepted', async (publicUrl, THREADS_API_URL, mayGo) => {
    await using there = await startWorld({ env: { PUBLIC_URL: publicUrl, THREADS_API_URL } });
    const em = there.context;
    const id = em.random.uuid();
    const [{ id: accountId } = { id: '' }] = await there.sql<{ id: string }>('select id from accounts');
    await there.sql(
      `insert into connections (id, account_id, platform_id, slug, description, timezone, queue_slots,
         platform_account_id, handle, credentials, created_at)
       values ($1, $2, 'threads', 'threads', 'Threads: thebells', 'UTC', '[]', '1', 'thebells', $3, $4)`,
      [id, accountId, em.vault.seal({}, id), there.clock.now()],
    );
    const validate = async (fields: object) => {
      const body = { text: 'Ding', connectionSlugs: ['threads'], ...fields };
      return (await there.rest('POST /posts/validate', { body })).body.results[0].error;
    };

    const message = `Threads fetches images from this install over https and needs a public host; PUBLIC_URL is ${publicUrl}. Have the operator set PUBLIC_URL to the install's public https address.`;
    expect(await validate({})).toBe(null);
    expect(await validate({ mediaIds: [await upload(4, 4, '', there)] })).toEqual(
      mayGo ? null : { code: 'platform_rejected', message },
    );
  });
});
