import { describe, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const PNG = await plain(12, 8).png().toBuffer();
const UNKNOWN_MEDIA = '01900000-0000-7000-8000-000000000000';

async function upload(key = world.liveKey): Promise<string> {
  const { body } = await world.rest('POST /media', { raw: PNG, key, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

/** Keys of two profiles and of another account, and the image that each uploaded. */
async function tenants() {
  const [first, second] = [await world.profile('One'), await world.profile('Two')];
  const [ofFirst, ofSecond] = [await world.key({ profileId: first.id }), await world.key({ profileId: second.id })];
  const accountId = world.context.random.uuid();
  await world.sql('insert into accounts (id, created_at) values ($1, $2)', [accountId, world.clock.now()]);
  const stranger = await world.key({ accountId });
  return { ofFirst: ofFirst.secret, ofSecond: ofSecond.secret, stranger: stranger.secret };
}

describe('GET /media/{mediaId}', () => {
  it('200: returns what the upload returned', async () => {
    const uploaded = await world.rest('POST /media?altText=Blue', {
      raw: PNG,
      headers: { 'content-type': 'image/png' },
    });

    const { status, body } = await world.rest(`GET /media/${uploaded.body.media.id}`);

    expect([status, body]).toEqual([200, uploaded.body]);
  });

  it('200: test and live keys share the images of the account', async () => {
    const id = await upload(world.testKey);

    expect((await world.rest(`GET /media/${id}`)).status).toBe(200);
    expect((await world.rest(`GET /media/${await upload()}`, { key: world.testKey })).status).toBe(200);
  });

  it('400 invalid_request: for a malformed id', async () => {
    const { status, body } = await world.rest('GET /media/1');

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('404: for unknown images and for those of other profiles and accounts', async () => {
    const { ofFirst, ofSecond, stranger } = await tenants();
    const [own, first] = [await upload(), await upload(ofFirst)];
    const statusOf = async (id: string, key: string) => (await world.rest(`GET /media/${id}`, { key })).status;

    expect(await statusOf(UNKNOWN_MEDIA, world.liveKey)).toBe(404);
    expect([await statusOf(first, ofFirst), await statusOf(first, world.liveKey)]).toEqual([200, 200]);
    expect([await statusOf(first, ofSecond), await statusOf(first, stranger)]).toEqual([404, 404]);
    expect([await statusOf(own, ofFirst), await statusOf(own, stranger)]).toEqual([404, 404]);
    const { body } = await world.rest(`GET /media/${UNKNOWN_MEDIA}`);
    expect(body).toMatchObject({ error: 'not_found', message: `No image of yours has the id ${UNKNOWN_MEDIA}.` });
  });
});

describe('GET /media/{mediaId}/raw', () => {
  it('200: returns the bytes with their type and headers that prevent execution', async () => {
    const id = await upload();

    const { status, bytes, headers } = await world.rest(`GET /media/${id}/raw`);

    expect([status, bytes]).toEqual([200, PNG]);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(PNG.length),
      'content-disposition': `inline; filename="${id}.png"`,
      'cache-control': 'private, max-age=3600',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-ratelimit-limit': '100000',
    });
    expect(headers.get('vary')).toContain('x-api-key');
  });

  it('200: answers HEAD with headers only', async () => {
    const id = await upload();

    const { status, bytes, headers } = await world.rest(`HEAD /media/${id}/raw`);

    expect([status, bytes.length, headers.get('content-length')]).toEqual([200, 0, String(PNG.length)]);
  });

  it('401, 404: returns errors as JSON', async () => {
    const { stranger } = await tenants();
    const id = await upload();

    const refused = await world.rest(`GET /media/${id}/raw`, { key: null });
    const foreign = await world.rest(`GET /media/${id}/raw`, { key: stranger });

    expect([refused.status, refused.body.error]).toEqual([401, 'unauthorized']);
    expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found']);
  });

  it('returns the bytes in base64 to the typed client', async () => {
    const input = encodeURIComponent(JSON.stringify({ mediaId: await upload() }));

    const answer = await fetch(`${world.url}/trpc/media.raw?input=${input}`, {
      headers: { 'x-api-key': world.liveKey },
    });

    const { result } = (await answer.json()) as { result: { data: unknown } };
    expect(result.data).toMatchObject({ bytes: PNG.toString('base64'), contentType: 'image/png' });
  });
});

describe('the API document', () => {
  it('describes binary bodies as bytes', async () => {
    const { body } = await world.rest('GET /openapi.json');
    const types = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

    const { post } = body.paths['/media'];
    expect(Object.keys(post.requestBody.content)).toEqual(types);
    expect(post.parameters.map(({ name, in: place }: { name: string; in: string }) => `${place} ${name}`)).toEqual([
      'query altText',
    ]);
    expect(Object.keys(post.responses)).toEqual(['200', '400', '401', '403', '413', '415', '429', '500', '503']);
    expect(Object.keys(body.paths['/media/{mediaId}/raw'].get.responses['200'].content)).toEqual(types);
  });
});
