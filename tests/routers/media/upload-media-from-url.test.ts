/** POST /media/from-url fetches an image from a public address and refuses private ones. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IMAGE_MAX_BYTES } from '../../../services/images/limits.ts';
import { plain } from '../../harness/images.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const PNG = await plain(12, 8).png().toBuffer();
const WEBP = await plain(12, 8).webp().toBuffer();
/** A PNG with a large ancillary chunk that readers may skip. */
const padded = (size: number) => {
  const chunk = Buffer.alloc(size - PNG.length);
  chunk.writeUInt32BE(size - PNG.length - 12);
  chunk.write('tEXt', 4);
  return Buffer.concat([PNG.subarray(0, 33), chunk, PNG.subarray(33)]);
};

const pages: Record<string, RequestListener> = {
  '/bell.png': (_, response) => response.setHeader('content-type', 'image/png').end(PNG),
  '/untyped': (_, response) => response.setHeader('content-type', 'application/octet-stream').end(WEBP),
  '/moved': (_, response) => response.writeHead(302, { location: '/bell.png' }).end(),
  '/inwards': (_, response) => response.writeHead(302, { location: 'http://10.0.0.1/bell.png' }).end(),
  '/round': (_, response) => response.writeHead(302, { location: '/round' }).end(),
  '/page': (_, response) => response.setHeader('content-type', 'image/png').end('<html></html>'),
  '/broken': (_, response) => response.end(PNG.subarray(0, 60)),
  '/large': (_, response) => response.end(padded(IMAGE_MAX_BYTES + 1)),
  '/endless': (_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(65_536)));
      response.once('drain', more);
    };
    response.write(PNG);
    more();
  },
  '/cut': (_, response) => {
    response.writeHead(200, { 'content-length': String(PNG.length) });
    response.write(PNG.subarray(0, 40), () => response.destroy());
  },
};

const world = await startWorld();
const server = createServer((request, response) => {
  const page = pages[request.url ?? ''];
  if (page === undefined) response.writeHead(404).end();
  else page(request, response);
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const fetched = (url: string, altText?: string) =>
  world.rest('POST /media/from-url', { body: { url, ...(altText === undefined ? {} : { altText }) } });

describe('200', () => {
  it('stores the image and returns its metadata', async () => {
    const { status, body } = await fetched(`${origin}/bell.png`, 'A bell');

    expect(status).toBe(200);
    expect(body).toEqual({
      media: {
        id: expect.any(String),
        contentType: 'image/png',
        sizeBytes: PNG.length,
        width: 12,
        height: 8,
        altText: 'A bell',
        createdAt: START.toISOString(),
      },
    });
    expect(Buffer.from(world.media.stored.get(body.media.id) ?? [])).toEqual(PNG);
  });

  it('uses the type of the bytes, not the Content-Type', async () => {
    expect((await fetched(`${origin}/untyped`)).body.media.contentType).toBe('image/webp');
  });

  it('follows a redirect', async () => {
    expect((await fetched(`${origin}/moved`)).body.media.sizeBytes).toBe(PNG.length);
  });
});

describe('refused requests', () => {
  it.each([
    ['/nothing', 422, 'media_unreachable', 'answered HTTP 404'],
    ['/round', 422, 'media_unreachable', 'redirects more than 3 times'],
    ['/inwards', 422, 'media_unreachable', '10.0.0.1'],
    ['/cut', 422, 'media_unreachable', 'the answer broke off'],
    ['/page', 400, 'media_type_mismatch', 'no PNG, JPEG, GIF or WebP'],
    ['/broken', 400, 'media_type_mismatch', 'PNG'],
    ['/large', 413, 'media_too_large', 'more than 8 MiB'],
    ['/endless', 413, 'media_too_large', 'more than 8 MiB'],
  ])('%s is %i %s, and nothing is stored', async (path, status, error, words) => {
    const before = world.media.stored.size;

    const answer = await fetched(`${origin}${path}`);

    expect(answer.body).toMatchObject({ error, message: expect.stringContaining(words) });
    expect(answer.status).toBe(status);
    expect(world.media.stored.size).toBe(before);
  });

  it.each([
    ['http://10.0.0.1/bell.png', 'media_unreachable'],
    ['http://169.254.169.254/latest/meta-data', 'media_unreachable'],
    ['file:///etc/passwd', 'media_unreachable'],
    ['http://user:password@127.0.0.1/bell.png', 'media_unreachable'],
    ['not an address', 'invalid_request'],
    ['', 'invalid_request'],
    [`https://bells.example/${'x'.repeat(2_000)}`, 'invalid_request'],
  ])('%s is %s', async (url, error) => {
    expect((await fetched(url)).body.error).toBe(error);
  });
});
