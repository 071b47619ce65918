import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../errors/service-error.ts';
import { inspectImage } from '../../../services/images/inspect-image.ts';
import type { ImageType } from '../../../entities/media.ts';
import { animation, noise, plain, withPlace } from '../../harness/images.ts';

const files: Record<string, [ImageType, Buffer]> = {
  'a PNG': ['image/png', await noise(60, 40).png().toBuffer()],
  'a PNG with a palette': ['image/png', await noise(60, 40).png({ palette: true }).toBuffer()],
  'a JPEG': ['image/jpeg', await noise(60, 40).jpeg().toBuffer()],
  'a progressive JPEG': ['image/jpeg', await noise(60, 40).jpeg({ progressive: true }).toBuffer()],
  'a JPEG with a place in it': ['image/jpeg', await withPlace(noise(60, 40)).jpeg().toBuffer()],
  'a JPEG in colours of print': ['image/jpeg', await noise(60, 40).toColourspace('cmyk').jpeg().toBuffer()],
  'a GIF': ['image/gif', await noise(60, 40).gif().toBuffer()],
  'an animated GIF': ['image/gif', await (await animation(12, 60, 40)).gif().toBuffer()],
  'a lossy WebP': ['image/webp', await noise(60, 40).webp().toBuffer()],
  'a lossless WebP': ['image/webp', await noise(60, 40).webp({ lossless: true }).toBuffer()],
  'a WebP with a place in it': ['image/webp', await withPlace(noise(60, 40)).webp().toBuffer()],
  'an animated WebP': ['image/webp', await (await animation(12, 60, 40)).webp().toBuffer()],
};
const kinds = Object.keys(files);

async function refusalOf(bytes: Buffer, type: ImageType): Promise<string> {
  try {
    await inspectImage(bytes, type);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'media_type_mismatch') return error.message;
    throw error;
  }
  return 'taken';
}

const file = (kind: string) => files[kind] as [ImageType, Buffer];
const PNG = file('a PNG')[1];
const TIFF = await plain(4, 4).tiff().toBuffer();
const JPEG = file('a JPEG')[1];

/** The shortest valid zip: an end record. */
const ZIP = Buffer.from(`504b0506${'00'.repeat(18)}`, 'hex');

describe('inspectImage', () => {
  it.each(kinds)('accepts %s', async (kind) => {
    const [type, bytes] = file(kind);

    expect(await inspectImage(bytes, type)).toEqual({ width: 60, height: 40 });
  });

  it.each(kinds)('refuses %s truncated at any byte', async (kind) => {
    const [type, bytes] = file(kind);
    const lengths = [
      0,
      3,
      9,
      20,
      ...Array.from({ length: 12 }, (_, index) => Math.floor((bytes.length * index) / 12)),
      bytes.length - 1,
    ];

    for (const length of lengths)
      expect(await refusalOf(bytes.subarray(0, length), type), `${length} bytes`).not.toBe('taken');
  });

  it.each(kinds)('refuses %s with data after its end', async (kind) => {
    const [type, bytes] = file(kind);
    const tails = [
      ZIP,
      Buffer.from('<script>alert(1)</script>'),
      Buffer.from('%PDF-1.7'),
      bytes,
      Buffer.from([0, 0, 1]),
    ];

    for (const tail of tails)
      expect(await refusalOf(Buffer.concat([bytes, tail]), type)).toMatch(/^Something that does not belong to the/);
  });

  it('accepts trailing zeros, which some cameras append', async () => {
    expect(await inspectImage(Buffer.concat([JPEG, Buffer.alloc(100)]), 'image/jpeg')).toEqual({
      width: 60,
      height: 40,
    });
  });

  it('accepts the further pictures of a phone’s JPEG if the file lists them', async () => {
    const index = Buffer.from('MPF\0II*\0\x08\0\0\0\0\0', 'latin1');
    const segment = Buffer.concat([Buffer.from([0xff, 0xe2, 0, index.length + 2]), index]);
    const announced = Buffer.concat([JPEG.subarray(0, 2), segment, JPEG.subarray(2)]);

    expect(await refusalOf(Buffer.concat([announced, Buffer.alloc(3), JPEG, JPEG]), 'image/jpeg')).toBe('taken');
    expect(await refusalOf(Buffer.concat([announced, JPEG, ZIP]), 'image/jpeg')).not.toBe('taken');
  });

  it.each<[string, Buffer, ImageType, string]>([
    ['a JPEG that says it is a PNG', JPEG, 'image/png', 'Content-Type says image/png, but the bytes are a JPEG.'],
    ['a PNG that says it is a GIF', PNG, 'image/gif', 'Content-Type says image/gif, but the bytes are a PNG.'],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'),
      'image/png',
      'Content-Type says image/png, but the bytes are no image that is taken here.',
    ],
    [
      'a page',
      Buffer.from('<!doctype html><script>alert(1)</script>'),
      'image/gif',
      'Content-Type says image/gif, but the bytes are no image that is taken here.',
    ],
    [
      'nothing',
      Buffer.alloc(0),
      'image/webp',
      'Content-Type says image/webp, but the bytes are no image that is taken here.',
    ],
    ['a TIFF', TIFF, 'image/jpeg', 'Content-Type says image/jpeg, but the bytes are no image that is taken here.'],
    [
      'a signature and nothing else',
      Buffer.from('GIF89a'),
      'image/gif',
      'The GIF is malformed or breaks off before its end.',
    ],
  ])('refuses %s', async (_case, bytes, type, message) => {
    expect(await refusalOf(bytes, type)).toBe(message);
  });

  it.each(['a PNG', 'a lossless WebP'])('refuses %s with damaged image data', async (kind) => {
    const [type, bytes] = file(kind);
    const damaged = Buffer.from(bytes);
    damaged.fill(0xa5, Math.floor(bytes.length * 0.4), Math.floor(bytes.length * 0.6));

    expect(await refusalOf(damaged, type)).toMatch(/cannot be decoded whole|malformed/);
  });

  it('refuses a JPEG with missing image data although its end marker is present', async () => {
    const large = await noise(400, 300).jpeg().toBuffer();
    const cut = Buffer.concat([large.subarray(0, large.length / 2), Buffer.from([0xff, 0xd9])]);

    expect(await refusalOf(cut, 'image/jpeg')).toBe('The JPEG cannot be decoded whole.');
  });

  it('refuses a small file that decompresses to a huge picture, without decompressing it', async () => {
    const bomb = await plain(10_000, 10_000).png({ compressionLevel: 9 }).toBuffer();

    expect(bomb.length).toBeLessThan(1_000_000);
    expect(await refusalOf(bomb, 'image/png')).toBe(
      'The PNG has 100 megapixels over all its frames; at most 50 are read.',
    );
  });

  it('counts the pixels of all frames', async () => {
    const long = await (await animation(6, 3000, 3000)).gif({ effort: 1, colours: 2, dither: 0 }).toBuffer();

    expect(await refusalOf(long, 'image/gif')).toBe(
      'The GIF has 54 megapixels over all its frames; at most 50 are read.',
    );
  });

  it('accepts a photograph of 48 megapixels', async () => {
    const photo = await plain(8064, 6048).jpeg().toBuffer();

    expect(await inspectImage(photo, 'image/jpeg')).toEqual({ width: 8064, height: 6048 });
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('returns width and height after applying orientation %i', async (orientation) => {
    const bytes = await plain(30, 20).withMetadata({ orientation }).jpeg().toBuffer();

    expect(await inspectImage(bytes, 'image/jpeg')).toEqual(
      orientation < 5 ? { width: 30, height: 20 } : { width: 20, height: 30 },
    );
  });

  it('handles many images concurrently', async () => {
    const sizes = await Promise.all(Array.from({ length: 20 }, () => inspectImage(PNG, 'image/png')));

    expect(new Set(sizes.map(({ width }) => width))).toEqual(new Set([60]));
    expect((await sharp(PNG).metadata()).width).toBe(60);
  });
});
