/** What a store gives is compared with what was uploaded: a damaged image reaches neither a platform nor a reader unnoticed. */
import { expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { makePost, sandboxOf } from '../../harness/posts.ts';
import { readZip } from '../../harness/read-zip.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld({ logLevel: 'warn' });
const { body } = await world.rest('POST /connections', {
  body: { platformId: 'sandbox', slug: 'bells', credentials: {} },
});
const connectionId: string = body.connection.id;

const DAMAGED = 'What is stored of it is damaged; if this continues, upload it again.';
const MINUTE_MS = 60_000;

/** Uncompressed, so that images of another colour have the same size. */
const blank = (background: string) => plain(20, 20, background).png({ compressionLevel: 0 }).toBuffer();
const BLUE = await blank('#0000ff');
const RED = await blank('#ff0000');

async function upload(): Promise<string> {
  const uploaded = await world.rest('POST /media', { raw: BLUE, headers: { 'content-type': 'image/png' } });
  return uploaded.body.media.id;
}

/** An image that an earlier version stored, without a hash. */
async function uploadBefore(): Promise<string> {
  const id = await upload();
  await world.sql('update media set bytes_hash = null where id = $1', [id]);
  return id;
}

const damaged = [
  ['of the same size', upload, RED],
  ['of another size', upload, BLUE.subarray(0, -1)],
  ['of another size, of an image without a hash', uploadBefore, BLUE.subarray(0, -1)],
] as const;

it('the images of these tests have the same size', () => {
  expect([RED.length, RED.equals(BLUE)]).toEqual([BLUE.length, false]);
});

it.each(damaged)(
  'other bytes %s are not sent, and the post is sent once the right ones are back',
  async (_c, put, bytes) => {
    const id = await put();
    world.media.stored.set(id, bytes);
    const scheduledFor = new Date(world.clock.now().getTime() + MINUTE_MS).toISOString();
    const { postId } = await makePost(world, 'bells', { scheduledFor, media: [{ id }] });
    const before = (await sandboxOf(world, connectionId)).length;

    await world.advance(MINUTE_MS);

    const ledger = await world.rest(`GET /posts/${postId}/attempts`);
    expect(ledger.body.attempts).toMatchObject([
      {
        state: 'unavailable',
        error: {
          code: 'platform_unavailable',
          message: `Image 1 could not be converted now; nothing was posted. ${DAMAGED}`,
        },
      },
    ]);
    expect(await sandboxOf(world, connectionId)).toHaveLength(before);
    expect(world.logged.join('')).toContain(id);
    world.media.stored.set(id, BLUE);
    await world.advance(MINUTE_MS);
    expect((await world.rest(`GET /posts/${postId}`)).body.post.status).toBe('sent');
  },
);

it.each(damaged)('other bytes %s are not given back', async (_case, put, bytes) => {
  const id = await put();
  world.media.stored.set(id, bytes);

  const read = await world.rest(`GET /media/${id}/raw`);

  expect([read.status, read.body]).toEqual([
    503,
    {
      error: 'storage_unavailable',
      message: `The image cannot be read. ${DAMAGED}`,
      hint: expect.any(String),
      docs: expect.stringMatching(/#storage_unavailable$/),
      retryable: true,
      req_id: expect.any(String),
    },
  ]);
});

it('an image that an earlier version stored without a hash is read as before', async () => {
  const read = await world.rest(`GET /media/${await uploadBefore()}/raw`);

  expect([read.status, read.bytes.equals(BLUE)]).toEqual([200, true]);
});

it('an archive names a damaged image and has the others', async () => {
  const [lost, whole] = [await upload(), await upload()];
  world.media.stored.set(lost, RED);

  const { bytes } = await world.rest('GET /exports/archive');

  const files = readZip(bytes);
  expect(files.get(`images/${lost}.damaged.txt`)?.toString()).toBe(`${DAMAGED}\n`);
  expect([files.has(`images/${lost}.png`), files.get(`images/${whole}.png`)?.equals(BLUE)]).toEqual([false, true]);
});
