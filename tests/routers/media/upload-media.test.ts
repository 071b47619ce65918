import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { STORAGE_MAX_BYTES } from '../../../services/images/limits.ts';
import { animation, noise, plain } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(12, 8).png().toBuffer();
const JPEG = await noise(12, 8).jpeg().toBuffer();
const GIF = await (await animation(3)).gif().toBuffer();
const WEBP = await (await animation(3)).webp().toBuffer();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function upload(
  bytes: Uint8Array | string,
  type: string | null = 'image/png',
  options: { query?: string; key?: string | null } = {},
) {
  const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
  return world.rest(`POST /media${options.query ?? ''}`, {
    raw: bytes,
    headers,
    ...(options.key === undefined ? {} : { key: options.key }),
  });
}

const used = async () =>
  (await world.sql<{ used: number }>('select sum(media_bytes)::int as used from accounts'))[0]?.used;
const rows = async () => (await world.sql<{ count: number }>('select count(*)::int as count from media'))[0]?.count;

describe('200', () => {
  it('stores the image and returns its metadata', async () => {
    const { status, body, headers } = await upload(PNG, 'image/png', { query: '?altText=A%20bell%20%F0%9F%94%94' });

    expect(status).toBe(200);
    expect(body).toEqual({
      media: {
        id: expect.stringMatching(UUID),
        contentType: 'image/png',
        sizeBytes: PNG.length,
        width: 12,
        height: 8,
        altText: 'A bell 🔔',
        createdAt: START.toISOString(),
      },
    });
    expect(headers.get('x-ratelimit-limit')).not.toBe(null);
    expect(Buffer.from(world.media.stored.get(body.media.id) ?? [])).toEqual(PNG);
  });

  it.each([
    ['image/jpeg', JPEG],
    ['image/gif', GIF],
    ['image/webp', WEBP],
    ['IMAGE/PNG; charset=binary', PNG],
  ])('accepts %s', async (type, bytes) => {
    const { status, body } = await upload(bytes, type);

    expect([status, body.media.altText]).toEqual([200, null]);
  });

  it('returns width and height after applying the orientation', async () => {
    const sideways = await plain(30, 20).withMetadata({ orientation: 6 }).jpeg().toBuffer();

    const { body } = await upload(sideways, 'image/jpeg');

    expect([body.media.width, body.media.height]).toEqual([20, 30]);
  });

  it('accepts an alt text of 1000 characters, and stores a blank one as null', async () => {
    const full = await upload(PNG, 'image/png', { query: `?altText=${'x'.repeat(1000)}` });
    const blank = await upload(PNG, 'image/png', { query: '?altText=%20%20' });

    expect([full.body.media.altText, blank.body.media.altText]).toEqual(['x'.repeat(1000), null]);
  });

  it('accepts an image of exactly 8 MiB', async () => {
    const bytes = Buffer.concat([JPEG, Buffer.alloc(8 * 1024 * 1024 - JPEG.length)]);

    const { status, body } = await upload(bytes, 'image/jpeg');

    expect([status, body.media.sizeBytes]).toEqual([200, 8_388_608]);
    await world.rest(`DELETE /media/${body.media.id}`);
  });
});

describe('400', () => {
  it.each([
    ['bytes of another type', JPEG, 'image/png'],
    ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/png'],
    ['a file that is cut off', PNG.subarray(0, PNG.length - 5), 'image/png'],
    ['a zip behind the image', Buffer.concat([JPEG, Buffer.from('PK\x05\x06')]), 'image/jpeg'],
    ['nothing', '', 'image/png'],
  ])('media_type_mismatch for %s', async (_case, bytes, type) => {
    const before = [await rows(), await used()];

    const { status, body } = await upload(bytes, type);

    expect([status, body.error]).toEqual([400, 'media_type_mismatch']);
    expect([await rows(), await used()]).toEqual(before);
  });

  it.each([
    ['too long', `?altText=${'x'.repeat(1001)}`, 'altText: expected at most 1000 characters.'],
    ['with a NUL in it', '?altText=a%00b', 'altText: expected text without NUL and without broken surrogate pairs.'],
    ['given twice', '?altText=a&altText=b', 'altText: expected a string.'],
  ])('invalid_request for an alt text %s', async (_case, query, message) => {
    const { status, body } = await upload(PNG, 'image/png', { query });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', message]);
  });
});

describe('401', () => {
  it('is checked first, without waiting for the body', async () => {
    const { status, body, headers } = await upload(Buffer.alloc(9 * 1024 * 1024), 'text/plain', { key: null });

    expect([status, body.error, headers.get('x-request-id')]).toEqual([401, 'unauthorized', null]);
  });
});

describe('413', () => {
  it('media_too_large for one byte more than 8 MiB, after reading the whole image', async () => {
    const { status, body, headers } = await upload(Buffer.alloc(8 * 1024 * 1024 + 1));

    expect([status, body.error]).toEqual([413, 'media_too_large']);
    expect(body.message).toContain('8388608 bytes');
    expect([headers.get('x-request-id') === null, headers.get('x-ratelimit-limit')]).toEqual([false, null]);
  });

  it('media_too_large for a body without a Content-Length', async () => {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/v2/media HTTP/1.1\r\nhost: x\r\nx-api-key: ${world.liveKey}\r\ncontent-type: image/png\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    for (let index = 0; index < 9; index += 1) socket.write(`100000\r\n${'x'.repeat(0x100000)}\r\n`);
    socket.write('0\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) {
      answer += String(chunk);
      if (answer.includes('}')) break;
    }

    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"error":"media_too_large"');
  });

  it('storage_full when all images need more than 50 MiB, counted exactly under parallel uploads', async () => {
    const freeBytes = 3 * PNG.length + 5;
    const before = await used();
    await world.sql('update accounts set media_bytes = $1', [STORAGE_MAX_BYTES - freeBytes]);

    // No more than may be decoded and wait at once.
    const answers = await Promise.all(Array.from({ length: 16 }, () => upload(PNG)));

    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([200, 200, 200, ...Array.from({ length: 13 }, () => 413)]);
    expect(answers.find(({ status }) => status === 413)?.body).toMatchObject({
      error: 'storage_full',
      message: `Your images take ${(STORAGE_MAX_BYTES - 5).toLocaleString('en-US')} bytes and this one ${PNG.length} bytes; at most 50 MiB are kept.`,
    });
    expect(await used()).toBe(STORAGE_MAX_BYTES - 5);
    await world.sql('update accounts set media_bytes = $1', [(before ?? 0) + 3 * PNG.length]);
  });
});

describe('415', () => {
  it.each([
    ['image/svg+xml'],
    ['application/json'],
    ['text/plain'],
    ['image/jpg'],
    ['multipart/form-data; boundary=x'],
  ])('unsupported_content_type for %s, which does not count toward the rate limit', async (type) => {
    const { status, body, headers } = await upload(PNG, type);

    expect([status, body.error, headers.get('x-ratelimit-limit')]).toEqual([415, 'unsupported_content_type', null]);
    expect(body.message).toContain('send image/png, image/jpeg, image/gif or image/webp');
  });

  it('unsupported_content_type without a Content-Type', async () => {
    const { status, body } = await upload(PNG, null);

    expect([status, body.error]).toEqual([415, 'unsupported_content_type']);
  });
});

describe('503 storage_unavailable', () => {
  it('stores no row and uses no storage if the bytes cannot be stored', async () => {
    const before = [await rows(), await used()];
    world.media.faults.push('put');

    const { status, body } = await upload(PNG);

    expect([status, body]).toEqual([
      503,
      {
        error: 'storage_unavailable',
        message:
          'The storage of images of this install is full, refuses access or does not answer; nothing was stored or sent.',
        hint: expect.any(String),
        docs: expect.stringMatching(/#storage_unavailable$/),
        retryable: true,
        req_id: expect.any(String),
      },
    ]);
    expect([await rows(), await used()]).toEqual(before);
  });
});

describe('the typed client', () => {
  const call = (input: unknown) =>
    fetch(`${world.url}/trpc/media.upload`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': world.liveKey },
      body: JSON.stringify(input),
    });

  it('sends the bytes in base64', async () => {
    const answer = await call({ bytes: PNG.toString('base64'), contentType: 'image/png', altText: 'A bell' });

    const { result } = (await answer.json()) as { result: { data: { media: { id: string } } } };
    const kept = Buffer.from(world.media.stored.get(result.data.media.id) ?? []);
    expect(createHash('sha256').update(kept).digest('hex')).toBe(createHash('sha256').update(PNG).digest('hex'));
  });

  it('gets an error if they are not base64', async () => {
    const answer = await call({ bytes: 'not base64!', contentType: 'image/png' });

    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('bytes: expected bytes in base64');
  });
});
