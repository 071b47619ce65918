/** Images on the sandbox's public pages: frequent requests use up neither memory nor the decoding slots of uploads. */
import { describe, expect, it } from 'vitest';
import { LOADED_MAX, PUBLIC_PAGES, SENDS } from '../../services/images/image-work.ts';
import { noise } from '../harness/images.ts';
import { startWorld, type World } from '../harness/world.ts';

const PHOTO = await noise(1_200, 800).withMetadata({ orientation: 6 }).jpeg().toBuffer();
const FACTS = { max: 4, maxBytes: 8_388_608, types: ['image/png'], altTextMax: null };

/** Sends a post with this many images, and returns the addresses of the images. */
async function post(world: World, count = 1): Promise<{ postId: string; addresses: string[] }> {
  const mediaIds: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const { body } = await world.rest('POST /media', { raw: PHOTO, headers: { 'content-type': 'image/jpeg' } });
    mediaIds.push(body.media.id);
  }
  const { body } = await world.rest('POST /posts', {
    body: { text: 'Ding', connectionSlugs: [world.sandboxSlug], mediaIds },
  });
  const [row] = await world.sql<{ id: string }>('select id from sandbox_posts order by id desc limit 1');
  const addresses = mediaIds.map((_id, index) => `${world.url}/sandbox/media/${row!.id}/${index}`);
  return { postId: body.results[0].postId, addresses };
}

/** Counts the reads of an upload's bytes, and the conversions started. */
function countReads(world: World): () => number {
  let reads = 0;
  const { get } = world.media;
  world.media.get = (key) => {
    reads += 1;
    return get(key);
  };
  return () => reads;
}

async function read(address: string, headers: Record<string, string> = {}) {
  const response = await fetch(address, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, headers: response.headers, bytes };
}

describe('GET /sandbox/media/{postId}/{position}', () => {
  it('converts an image once for sixty concurrent requests, and answers all of them', async () => {
    const world = await startWorld();
    const { addresses } = await post(world);
    const reads = countReads(world);

    const answers = await Promise.all(Array.from({ length: 60 }, () => read(addresses[0]!)));

    expect(answers.map(({ status }) => status)).toEqual(Array(60).fill(200));
    expect(new Set(answers.map(({ bytes }) => bytes.toString('base64'))).size).toBe(1);
    expect(reads()).toBe(1);
  });

  it('has a strong ETag, and answers 304 to it without a conversion', async () => {
    const world = await startWorld();
    const { postId, addresses } = await post(world);
    const [address = ''] = addresses;
    const first = await read(address);
    const etag = first.headers.get('etag') ?? '';
    const reads = countReads(world);

    const again = await read(address, { 'if-none-match': `"other", ${etag}` });
    const changed = await read(address, { 'if-none-match': '"other"' });
    await world.rest(`DELETE /posts/${postId}`);
    const gone = await read(address, { 'if-none-match': etag });

    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect([again.status, again.bytes.length, again.headers.get('etag')]).toEqual([304, 0, etag]);
    expect([changed.status, changed.bytes.equals(first.bytes)]).toEqual([200, true]);
    expect([gone.status, reads()]).toEqual([404, 0]);
  });

  it('counts requests by address, and answers 429 with Retry-After beyond the limit', async () => {
    const world = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '20' } });
    const { addresses } = await post(world);

    const statuses: number[] = [];
    for (let index = 0; index < 21; index += 1) statuses.push((await read(addresses[0]!)).status);
    const refused = await read(addresses[0]!);
    world.clock.advance(60_000);
    const later = await read(addresses[0]!);

    expect(statuses).toEqual([...Array<number>(20).fill(200), 429]);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(later.status).toBe(200);
  });

  it('reads no bytes while it waits, and answers 503 with Retry-After when too many wait', async () => {
    const world = await startWorld();
    const { addresses } = await post(world, 3);
    const reads = countReads(world);
    const held = Promise.withResolvers<null>();
    const convert = (owner: string, limit: { perOwner: number; inAll: number }) =>
      world.context.images.convert({ owner, limit }, { type: 'image/png', facts: FACTS, load: () => held.promise });
    const occupied = Array.from({ length: LOADED_MAX }, (_one, index) => convert(`${index}`, SENDS));
    const waiting = read(addresses[0]!);
    const others = Array.from({ length: PUBLIC_PAGES.inAll }, () => convert('others', PUBLIC_PAGES));

    const refused = await read(addresses[1]!);
    const readsWhileWaiting = reads();
    held.resolve(null);
    await Promise.allSettled([...occupied, ...others, waiting]);

    expect([refused.status, refused.headers.get('retry-after'), readsWhileWaiting]).toEqual([503, '5', 0]);
    expect(JSON.parse(refused.bytes.toString())).toMatchObject({ error: 'server_busy', retryable: true });
    expect((await read(addresses[2]!)).status).toBe(200);
  });
});
