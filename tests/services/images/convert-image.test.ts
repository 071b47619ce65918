import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { ImageFacts } from '../../../platforms/contract.ts';
import { convertImage } from '../../../services/images/convert-image.ts';
import type { ImageType } from '../../../entities/media.ts';
import { animation, colourAt, halves, hasNoMetadata, noise, plain, withPlace } from '../../harness/images.ts';

const FACTS: ImageFacts = {
  max: 4,
  maxBytes: 2_000_000,
  types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
  altTextMax: null,
};

async function convert(bytes: Buffer, type: ImageType, facts: Partial<ImageFacts> = {}) {
  const converted = await convertImage(bytes, type, { ...FACTS, ...facts });
  if (converted === null) throw new Error('it could not be converted');
  const metadata = await sharp(converted.bytes).metadata();
  // The metadata of a converted image must describe the actual image.
  expect([`image/${metadata.format}`, metadata.width, metadata.height]).toEqual([
    converted.contentType,
    converted.width,
    converted.height,
  ]);
  expect(await hasNoMetadata(converted.bytes)).toBe(true);
  return { ...converted, metadata };
}

describe('convertImage', () => {
  it('keeps the pixels of an image that fits, and removes its location', async () => {
    const bytes = await withPlace(noise(80, 60)).jpeg().toBuffer();

    const { bytes: converted } = await convert(bytes, 'image/jpeg');

    expect(await sharp(converted).raw().toBuffer()).toEqual(await sharp(bytes).raw().toBuffer());
  });

  it.each([
    [1, 'red left', [60, 40]],
    [2, 'red right', [60, 40]],
    [3, 'red right', [60, 40]],
    [6, 'red top', [40, 60]],
    [8, 'red bottom', [40, 60]],
  ] as const)('applies orientation %i to an image: %s', async (orientation, _where, [width, height]) => {
    const bytes = await withPlace(halves(60, 40)).withMetadata({ orientation }).jpeg().toBuffer();

    const converted = await convert(bytes, 'image/jpeg');

    const red = { 1: [5, 20], 2: [55, 20], 3: [55, 20], 6: [20, 5], 8: [20, 55] }[orientation] as [number, number];
    const [r = 0, , b = 0] = await colourAt(converted.bytes, ...red);
    expect([converted.width, converted.height]).toEqual([width, height]);
    expect(r > 200 && b < 60).toBe(true);
  });

  it.each<[string, Partial<ImageFacts>, ImageType]>([
    ['webp', { types: ['image/jpeg', 'image/png'] }, 'image/jpeg'],
    ['webp', { types: ['image/png'] }, 'image/png'],
    ['png', { types: ['image/jpeg'] }, 'image/jpeg'],
    ['gif', { types: ['image/jpeg'] }, 'image/jpeg'],
    ['png', { types: ['image/gif'] }, 'image/gif'],
  ])('converts a %s to an accepted type: %j', async (format, facts, type) => {
    const bytes = await noise(60, 40)
      .toFormat(format as 'png')
      .toBuffer();

    expect(await convert(bytes, `image/${format}` as ImageType, facts)).toMatchObject({
      contentType: type,
      width: 60,
      height: 40,
    });
  });

  it('shrinks a large photograph below the limit and keeps its aspect ratio', async () => {
    const bytes = await noise(3000, 2000).jpeg({ quality: 95 }).toBuffer();

    const converted = await convert(bytes, 'image/jpeg', { maxBytes: 1_000_000 });

    expect(bytes.length).toBeGreaterThan(3_000_000);
    expect(converted.bytes.length).toBeLessThanOrEqual(1_000_000);
    expect(converted.width / converted.height).toBeCloseTo(1.5, 2);
    expect(converted.width).toBeGreaterThan(1000);
  });

  it.each([
    ['image/webp', 17_000, 16_383],
    ['image/jpeg', 66_000, 65_500],
    ['image/gif', 66_000, 65_535],
  ] as const)('reduces a panorama to what an encoder of %s writes', async (type, width, most) => {
    const bytes = await plain(width, 4).png().toBuffer();

    const converted = await convert(bytes, 'image/png', { types: [type] });

    expect([converted.contentType, converted.width]).toEqual([type, most]);
  });

  it('reduces an image to the maximum number of pixels', async () => {
    const bytes = await plain(1000, 500).png().toBuffer();

    const converted = await convert(bytes, 'image/png', { maxPixels: 100_000, maxWidth: 300 });

    expect([converted.width, converted.height]).toEqual([300, 150]);
  });

  it('fills transparency with white if only JPEG is accepted', async () => {
    const bytes = await sharp({ create: { width: 10, height: 10, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer();

    const converted = await convert(bytes, 'image/png', { types: ['image/jpeg'] });

    expect(await colourAt(converted.bytes, 5, 5)).toEqual([255, 255, 255]);
  });

  it('keeps transparency if the type allows it', async () => {
    const bytes = await sharp({ create: { width: 10, height: 10, channels: 4, background: '#00000000' } })
      .webp()
      .toBuffer();

    const { metadata } = await convert(bytes, 'image/webp', { types: ['image/jpeg', 'image/png'] });

    expect([metadata.format, metadata.hasAlpha]).toEqual(['png', true]);
  });

  it('converts CMYK colours to RGB', async () => {
    const bytes = await plain(20, 20, '#ff0000').toColourspace('cmyk').jpeg().toBuffer();

    const { metadata, bytes: converted } = await convert(bytes, 'image/jpeg');
    const [r = 0, g = 255] = await colourAt(converted, 5, 5);

    expect(metadata.space).toBe('srgb');
    expect(r > 180 && g < 90).toBe(true);
  });

  it('converts a greyscale picture', async () => {
    const bytes = await noise(40, 30).greyscale().png().toBuffer();

    expect(await convert(bytes, 'image/png', { types: ['image/jpeg'] })).toMatchObject({ width: 40, height: 30 });
  });

  it.each(['gif', 'webp'] as const)('keeps an animated %s if the type is accepted and it fits', async (format) => {
    const bytes = await (await animation(6))[format]().toBuffer();

    const { metadata } = await convert(bytes, `image/${format}`);

    expect(metadata.pages).toBe(6);
  });

  it.each([
    ['too large', { maxBytes: 900 }],
    ['not taken', { types: ['image/jpeg', 'image/png'] }],
  ])('reduces an animation that is %s to its first frame', async (_case, facts) => {
    const bytes = await (await animation(60, 100, 50)).gif().toBuffer();

    const converted = await convert(bytes, 'image/gif', facts);

    expect(converted.metadata.pages ?? 1).toBe(1);
    expect([converted.width, converted.height]).toEqual([100, 50]);
    // The first frame is hsl(0, 80%, 50%), a red.
    const [r = 0, g = 255, b = 255] = await colourAt(converted.bytes, 50, 25);
    expect(r > 190 && g < 80 && b < 80).toBe(true);
  });

  it('fails when no result is small enough, or no type is accepted', async () => {
    const bytes = await noise(600, 400).jpeg().toBuffer();

    expect(await convertImage(bytes, 'image/jpeg', { ...FACTS, maxBytes: 100 })).toBe(null);
    expect(await convertImage(bytes, 'image/jpeg', { ...FACTS, types: ['image/avif'] })).toBe(null);
  });
});
