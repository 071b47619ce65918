/** Images of posts, sent through the REST API to fake servers of each platform. */
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PlatformFailure } from '../../../platforms/contract.ts';
import { outgoingImages } from '../../../services/media/outgoing-images.ts';
import { createSandboxImages } from '../../../services/sandbox/sandbox-images.ts';
import { animation, colourAt, halves, hasNoMetadata, noise, plain, withPlace } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { startFakeFacebook } from '../../platforms/fakes/fake-facebook.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const now = () => START;
const bluesky = await startFakeBluesky({ now });
const mastodon = await startFakeMastodon({
  now,
  looksUntilProcessed: 3,
  mediaConfiguration: {
    media_attachments: {
      supported_mime_types: ['image/jpeg', 'image/png', 'video/mp4'],
      image_size_limit: 60_000,
      image_matrix_limit: 40_000,
      description_limit: 20,
    },
  },
});
const facebook = await startFakeFacebook({ now });
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: bluesky.url, META_GRAPH_URL: facebook.url } });
afterAll(() => Promise.all([bluesky.close(), mastodon.close(), facebook.close()]));

bluesky.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
mastodon.addAccount('alice', 'token-of-alice');
facebook.addPage('104000000000001', 'The Bells', 'token-of-the-bells');

beforeAll(async () => {
  const connect = (body: object) => world.rest('POST /connections', { body });
  await connect({
    platformId: 'bluesky',
    slug: 'sky',
    credentials: { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' },
  });
  await connect({
    platformId: 'mastodon',
    slug: 'toots',
    credentials: { instanceUrl: mastodon.url, accessToken: 'token-of-alice' },
  });
  await connect({
    platformId: 'facebook',
    slug: 'page',
    credentials: { pageId: '104000000000001', accessToken: 'token-of-the-bells' },
  });
});

async function upload(bytes: Buffer, type: string, altText = ''): Promise<string> {
  const query = altText === '' ? '' : `?altText=${encodeURIComponent(altText)}`;
  const { body } = await world.rest(`POST /media${query}`, {
    raw: bytes,
    headers: { 'content-type': `image/${type}` },
  });
  return body.media.id;
}

async function post(slug: string, fields: object) {
  const { body } = await world.rest('POST /posts', {
    body: { text: 'with pictures', connectionSlugs: [slug], ...fields },
  });
  return body.results?.[0] ?? body;
}

describe('to Bluesky', () => {
  it('images arrive in order, upright, without their location and with their alt texts', async () => {
    const sideways = await withPlace(halves(60, 40)).withMetadata({ orientation: 6 }).jpeg().toBuffer();
    const first = await upload(sideways, 'jpeg', 'Said at the upload');
    const second = await upload(await withPlace(noise(30, 20)).png().toBuffer(), 'png', 'Said at the upload');

    const result = await post('sky', { media: [{ id: second, altText: 'Said by the post' }, { id: first }] });

    expect(result).toMatchObject({ status: 'sent', error: null });
    const images = bluesky.posts().at(-1)?.record.embed?.images ?? [];
    expect(images.map(({ alt, aspectRatio }) => [alt, aspectRatio])).toEqual([
      ['Said by the post', { width: 30, height: 20 }],
      ['Said at the upload', { width: 40, height: 60 }],
    ]);
    const [png, jpeg] = images.map(({ image }) => bluesky.blobs.get(image.ref.$link)!);
    expect([png?.mimeType, jpeg?.mimeType]).toEqual(['image/png', 'image/jpeg']);
    expect([await hasNoMetadata(png!.bytes), await hasNoMetadata(jpeg!.bytes)]).toEqual([true, true]);
    const [r = 0, , b = 255] = await colourAt(jpeg!.bytes, 20, 5);
    expect(r > 200 && b < 60).toBe(true);
  });

  it('a photograph over two million bytes is made smaller', async () => {
    const id = await upload(await noise(2600, 1700).jpeg({ quality: 95 }).toBuffer(), 'jpeg');

    const result = await post('sky', { mediaIds: [id] });

    const [embedded] = bluesky.posts().at(-1)?.record.embed?.images ?? [];
    expect(result.error).toBe(null);
    expect(embedded?.image.size).toBeLessThanOrEqual(2_000_000);
    expect(embedded?.image.size).toBeGreaterThan(500_000);
  });

  it('an animation stays animated', async () => {
    await post('sky', { mediaIds: [await upload(await (await animation(4)).gif().toBuffer(), 'gif')] });

    const [blob] = [...bluesky.blobs.values()].slice(-1);
    expect([blob?.mimeType, (await sharp(blob?.bytes).metadata()).pages]).toEqual(['image/gif', 4]);
  });

  it('five images are refused before anything is stored', async () => {
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map(async (side) => upload(await plain(side, side).png().toBuffer(), 'png')),
    );

    expect(await post('sky', { mediaIds: ids })).toMatchObject({
      status: 'failed',
      postId: null,
      error: { code: 'platform_rejected', message: 'The post has 5 images; Bluesky takes at most 4.' },
    });
  });

  it('an expired access token is refreshed for an upload too', async () => {
    const id = await upload(await plain(9, 9).png().toBuffer(), 'png');
    bluesky.expireAccessTokens();

    expect(await post('sky', { text: 'after a while', mediaIds: [id] })).toMatchObject({ status: 'sent' });
  });
});

describe('to Mastodon', () => {
  it('images are attached after the server has processed them, within the limits of that server', async () => {
    const id = await upload(
      await withPlace(noise(600, 400)).webp().toBuffer(),
      'webp',
      'A text of more than twenty characters',
    );

    const result = await post('toots', { mediaIds: [id] });

    const [image] = mastodon.images();
    const { width, height } = await sharp(image?.bytes).metadata();
    expect(result).toMatchObject({ status: 'sent', error: null });
    expect(mastodon.posts().at(-1)?.mediaIds).toEqual([image?.id]);
    expect([image?.type, image?.description]).toEqual(['image/jpeg', 'A text of more than…']);
    expect(image?.bytes.length).toBeLessThanOrEqual(60_000);
    expect(width * height).toBeLessThanOrEqual(40_000);
    expect(await hasNoMetadata(image!.bytes)).toBe(true);
    expect(mastodon.calls['GET /api/v1/media/:id']).toBe(3);
  });
});

describe('to Facebook', () => {
  it('five images are photos of one post, in an accepted type, with their alt texts', async () => {
    const ids = await Promise.all(
      [1, 2, 3, 4, 5].map(async (n) => upload(await withPlace(noise(40, 30)).webp().toBuffer(), 'webp', `Bell ${n}`)),
    );

    const result = await post('page', { mediaIds: ids });

    const photos = facebook.photos();
    expect(result).toMatchObject({ status: 'sent', error: null });
    expect(facebook.posts().map(({ photoIds }) => photoIds)).toEqual([photos.map(({ id }) => id)]);
    expect(photos.map(({ type, altText }) => `${type}: ${altText}`)).toEqual(
      [1, 2, 3, 4, 5].map((n) => `image/jpeg: Bell ${n}`),
    );
    expect(await Promise.all(photos.map(({ bytes }) => hasNoMetadata(bytes)))).toEqual([true, true, true, true, true]);
  });
});

describe('to the sandbox', () => {
  it('images appear on its timeline, and its page can show them without their location', async () => {
    const id = await upload(await withPlace(noise(50, 40)).jpeg().toBuffer(), 'jpeg', 'A bell');

    const { postId } = await post(world.sandboxSlug, { mediaIds: [id] });

    const [row] = await world.sql<{ id: string; images: unknown }>(
      'select id, images from sandbox_posts order by id desc limit 1',
    );
    expect(row?.images).toEqual([{ mediaId: id, altText: 'A bell', width: 50, height: 40 }]);
    const sandboxImages = createSandboxImages(world.context);
    const shown = await (await sandboxImages(row!.id, 0))?.read();
    expect([shown?.contentType, await hasNoMetadata(shown!.bytes)]).toEqual(['image/jpeg', true]);
    expect(await sandboxImages(row!.id, 1)).toBe(null);
    await world.rest(`DELETE /posts/${postId}`);
    expect(await sandboxImages(row!.id, 0)).toBe(null);
  });
});

describe('an image that cannot be sent', () => {
  const draft = async (mediaIds: string[]) => (await post('sky', { isDraft: true, mediaIds })).postId as string;
  const failureFor = async (postId: string, images: object) => {
    const platform = { ...world.context.platforms.bluesky };
    try {
      await outgoingImages(world.context, postId, { ...platform, images: { ...platform.images!, ...images } });
    } catch (error) {
      if (error instanceof PlatformFailure) return { kind: error.kind, message: error.message };
      throw error;
    }
    return null;
  };

  it('is refused with the limit that it cannot meet', async () => {
    const postId = await draft([await upload(await noise(300, 200).png().toBuffer(), 'png')]);

    expect(await failureFor(postId, { maxBytes: 50, types: ['image/jpeg', 'image/png'] })).toEqual({
      kind: 'rejected',
      message: 'Image 1 cannot be made into one that Bluesky takes: at most 50 bytes, as JPEG, PNG.',
    });
  });

  it('is refused when its bytes are missing', async () => {
    const id = await upload(await plain(3, 3).png().toBuffer(), 'png');
    const postId = await draft([id]);
    world.media.stored.delete(id);

    expect(await failureFor(postId, {})).toMatchObject({
      kind: 'rejected',
      message: expect.stringContaining('Image 1 is no longer stored'),
    });
  });

  it('has no alt text if a platform does not support it', async () => {
    const postId = await draft([await upload(await plain(3, 3).png().toBuffer(), 'png', 'Dropped')]);
    const platform = { ...world.context.platforms.bluesky };

    const images = await outgoingImages(world.context, postId, {
      ...platform,
      images: { ...platform.images!, altTextMax: null },
    });

    expect(images.map(({ altText }) => altText)).toEqual(['']);
  });
});
