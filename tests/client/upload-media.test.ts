/** uploadMedia sends bytes of any form as an image, and says what was wrong. */
import { describe, expect, it } from 'vitest';
import { createClient, uploadMedia } from '../../client/index.ts';
import { plain } from '../harness/images.ts';
import { startWorld } from '../harness/world.ts';
import { scriptedFetch } from './scripted-fetch.ts';

const world = await startWorld();
const client = createClient({ url: world.url, apiKey: world.liveKey });
const image = { png: await plain(8, 8).png().toBuffer(), webp: await plain(8, 8).webp().toBuffer() };
const jpeg = await plain(8, 8).jpeg().toBuffer();
const gif = await plain(8, 8).gif().toBuffer();

describe('uploadMedia', () => {
  it.each<[string, Blob | Uint8Array | ReadableStream<Uint8Array>, string]>([
    ['a Blob with a type', new Blob([image.png], { type: 'image/png' }), 'image/png'],
    ['a Blob without one', new Blob([jpeg]), 'image/jpeg'],
    ['bytes', new Uint8Array(gif), 'image/gif'],
    ['a stream', new Blob([image.webp]).stream(), 'image/webp'],
  ])('takes %s', async (_form, bytes, contentType) => {
    const media = await uploadMedia(client, bytes, { altText: 'A bell & more 🔔' });

    const { body } = await world.rest(`GET /media/${media.id}`);
    expect(body.media).toMatchObject({ id: media.id, contentType, altText: 'A bell & more 🔔', width: 8, height: 8 });
  });

  it('takes options in place of a client', async () => {
    const media = await uploadMedia({ url: world.url, apiKey: world.liveKey }, jpeg);

    expect(media).toMatchObject({ contentType: 'image/jpeg', altText: null });
  });

  it('refuses what is no image before it sends it, and names what it takes', async () => {
    await expect(uploadMedia(client, new TextEncoder().encode('text'))).rejects.toThrow(
      'Expected a PNG, JPEG, GIF or WebP image. Name its type with contentType if it is one.',
    );
  });

  it('throws the error of the service for an image that it refuses', async () => {
    const refused = uploadMedia(client, jpeg, { contentType: 'image/png' });

    await expect(refused).rejects.toMatchObject({ status: 400, body: { error: 'media_type_mismatch' } });
  });

  it('is not repeated', async () => {
    const { runtime, requests } = scriptedFetch(['refused']);

    const failed = uploadMedia({ url: world.url, apiKey: world.liveKey, ...runtime }, jpeg);

    await expect(failed).rejects.toThrow('No answer');
    expect(requests).toEqual(['POST /api/v2/media']);
  });

  it('refuses something that is no client', async () => {
    await expect(uploadMedia({} as never, jpeg)).rejects.toThrow(
      'Expected a client that createClient made, or an object with url and apiKey or accessToken.',
    );
  });
});
