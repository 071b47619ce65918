/** Images in the console: uploads of the full size through its calls, and an address that an <img> loads. */
import { describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { noise } from '../harness/images.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { LIVE_KEY, PUBLIC_URL, startWorld } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const browser = await signedInBrowser(world);
const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
const csrf = /<meta name="carillon-csrf" content="([^"]+)"/.exec((await browser.get('/')).text)?.[1] ?? '';
const AS_OWNER = { cookie, 'x-carillon-csrf': csrf, 'sec-fetch-site': 'same-origin', origin: PUBLIC_URL };

/** About 8 MB, which is more than other calls take. */
const LARGE = await noise(1_640, 1_640).png({ compressionLevel: 0 }).toBuffer();

async function upload(path: string, headers: Record<string, string>, bytes = LARGE) {
  const response = await fetch(`${world.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ bytes: bytes.toString('base64'), contentType: 'image/png' }),
  });
  // eslint-disable-next-line typescript/no-explicit-any -- the tests assert the fields that they read
  return { status: response.status, body: (await response.json()) as any };
}

describe('an upload of 8 MB', () => {
  it.each([
    ['of a signed-in person', '/owner/trpc/media.upload', AS_OWNER],
    ['with a key', '/trpc/media.upload', { 'x-api-key': LIVE_KEY }],
  ])('%s is stored', async (_who, path, headers) => {
    const { status, body } = await upload(path, headers);

    expect([status, body.result.data.media.sizeBytes]).toEqual([200, LARGE.length]);
  });

  it('is refused on every other call, and in a batch', async () => {
    const paths = ['/trpc/posts.create', '/trpc/media.upload,media.upload?batch=1'];
    const answers = await Promise.all(paths.map((path) => upload(path, { 'x-api-key': LIVE_KEY })));

    expect(answers.map(({ status }) => status)).toEqual([413, 413]);
  });
});

describe('GET /owner/media/{mediaId}', () => {
  const get = async (mediaId: string, headers: Record<string, string> = { cookie }) => {
    const response = await fetch(`${world.url}/owner/media/${mediaId}`, { headers });
    return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  };
  const PNG = noise(12, 8).png().toBuffer();
  const stored = async () => {
    const { body } = await upload('/owner/trpc/media.upload', AS_OWNER, await PNG);
    return body.result.data.media.id as string;
  };

  it('gives the signed-in person the image, for this browser only', async () => {
    const { status, headers, bytes } = await get(await stored());

    expect([status, bytes]).toEqual([200, await PNG]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'private, max-age=3600',
      'cross-origin-resource-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
  });

  it('gives it to no one else: not to visitors, not with a key, not to other sites', async () => {
    const id = await stored();

    expect((await get(id, {})).status).toBe(401);
    expect((await get(id, { 'x-api-key': LIVE_KEY })).status).toBe(401);
    expect((await get(id, { cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await openBrowser(world).get(`/owner/media/${id}`)).status).toBe(401);
  });

  it.each(['00000000-0000-7000-8000-000000000000', 'nonsense', '%00'])('answers 404 for %s', async (id) => {
    expect((await get(id)).status).toBe(404);
  });
});
