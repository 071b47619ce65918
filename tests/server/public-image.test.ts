/** GET /media/public/...: images for platforms that fetch them, by signed addresses only. */
import sharp from 'sharp';
import { describe, expect, it, vi } from 'vitest';
import { createSigner } from '../../services/credentials/signer.ts';
import { publicImageUrl } from '../../services/media/image-address.ts';
import { hasNoMetadata, noise, withPlace } from '../harness/images.ts';
import { START } from '../harness/test-clock.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';

const world = await startWorld();

async function upload(): Promise<string> {
  const raw = await withPlace(noise(60, 50)).png().toBuffer();
  const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
  return body.media.id;
}

const id = await upload();
const address = (platformId = 'instagram', mediaId = id) => publicImageUrl(world.context, platformId, mediaId);
const ask = (url: string, init: RequestInit = {}) => fetch(url.replace(PUBLIC_URL, world.url), init);

/** The answer to every wrong address. */
const NOTHING = [404, 'text/plain; charset=utf-8', 'There is no such image, or its address has expired.\n'];
const answered = async (response: Response) => [
  response.status,
  response.headers.get('content-type'),
  await response.text(),
];
const changed = (change: (url: URL) => void): string => {
  const url = new URL(address());
  change(url);
  return url.href;
};

describe('200', () => {
  it('returns the image as the platform accepts it, to any caller, uncached and with an image type only', async () => {
    const response = await ask(address());

    const bytes = Buffer.from(await response.arrayBuffer());
    const { format, width, height } = await sharp(bytes).metadata();
    expect([response.status, format, width, height, await hasNoMetadata(bytes)]).toEqual([200, 'jpeg', 60, 50, true]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(bytes.length),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect([response.headers.get('set-cookie'), response.headers.get('x-robots-tag')]).toEqual([null, null]);
  });

  it('returns the same bytes each time, and separate ones for each platform', async () => {
    const bytesOf = async (url: string) => Buffer.from(await (await ask(url)).arrayBuffer()).toString('base64');

    const [first, again, forThreads] = [address(), address(), address('threads')].map(bytesOf);

    expect(await again).toBe(await first);
    expect(await forThreads).not.toBe(await first);
  });

  it('answers HEAD with everything except the bytes', async () => {
    const whole = await ask(address());
    const head = await ask(address(), { method: 'HEAD' });

    const names = ['content-type', 'content-length', 'cache-control'];
    expect(names.map((name) => head.headers.get(name))).toEqual(names.map((name) => whole.headers.get(name)));
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('converts an image once for many concurrent requests', async () => {
    const fresh = address('instagram', await upload());
    const reads = vi.spyOn(world.media, 'get');

    const answers = await Promise.all(Array.from({ length: 12 }, () => ask(fresh)));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(reads).toHaveBeenCalledTimes(1);
    reads.mockRestore();
  });

  it('recovers when the bytes could not be read once', async () => {
    const fresh = address('instagram', await upload());
    world.media.faults.push('get');

    const statuses = [(await ask(fresh)).status, (await ask(fresh)).status];

    expect(statuses).toEqual([503, 200]);
  });

  it('is available until the hour is over', async () => {
    const url = address();

    world.clock.set(new Date(START.getTime() + 3_599_000));
    const before = (await ask(url)).status;
    world.clock.set(new Date(START.getTime() + 3_600_000));
    const after = await answered(await ask(url));
    world.clock.set(START);

    expect([before, after]).toEqual([200, NOTHING]);
  });
});

describe('404', () => {
  it.each<[string, () => string]>([
    ['a signature that was changed', () => changed((url) => url.searchParams.set('signature', `A${'b'.repeat(42)}`))],
    ['a signature cut short', () => changed((url) => url.searchParams.set('signature', 'AA'))],
    ['no signature', () => changed((url) => url.searchParams.delete('signature'))],
    ['two signatures', () => `${address()}&signature=x`],
    ['a later end', () => changed((url) => url.searchParams.set('expires', '4000000000'))],
    [
      'the same end written otherwise',
      () => changed((url) => url.searchParams.set('expires', `${url.searchParams.get('expires')}.0`)),
    ],
    ['no end', () => changed((url) => url.searchParams.delete('expires'))],
    ['another platform', () => address().replace('/instagram/', '/threads/')],
    ['an unknown platform', () => address().replace('/instagram/', '/constructor/')],
    [
      'another image',
      () =>
        address().replace(
          id,
          id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
        ),
    ],
    ['something that is no id', () => address().replace(id, 'id')],
    ['an image that never was', () => address('instagram', world.context.random.uuid())],
  ])('is the answer to %s', async (_case, url) => {
    expect(await answered(await ask(url()))).toEqual(NOTHING);
  });

  it('is the answer once the image is deleted, even right after a request for it', async () => {
    const mediaId = await upload();
    const url = address('instagram', mediaId);
    const before = (await ask(url)).status;
    await world.rest(`DELETE /media/${mediaId}`);

    expect([before, await answered(await ask(url))]).toEqual([200, NOTHING]);
  });
});

describe('signatures', () => {
  const [old, young, foreign] = [1, 2, 3].map((byte) => Buffer.alloc(32, byte));
  if (old === undefined || young === undefined || foreign === undefined) throw new Error('three keys');

  it('match on all processes with the same keys, and differ between installs', () => {
    expect(createSigner([old]).sign('imageAddress', 'a')).toBe(createSigner([old]).sign('imageAddress', 'a'));
    expect(createSigner([old]).isSigned('imageAddress', 'a', createSigner([foreign]).sign('imageAddress', 'a'))).toBe(
      false,
    );
  });

  it('stay valid after a new key is added, until the old one is removed', () => {
    const signed = createSigner([old]).sign('imageAddress', 'a');

    const [rotating, dropped] = [createSigner([young, old]), createSigner([young])];

    expect([rotating.isSigned('imageAddress', 'a', signed), dropped.isSigned('imageAddress', 'a', signed)]).toEqual([
      true,
      false,
    ]);
    expect(rotating.sign('imageAddress', 'a')).toBe(dropped.sign('imageAddress', 'a'));
  });
});
