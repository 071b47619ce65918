import { crc32 } from 'node:zlib';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { formatOf, withoutMetadata } from '../../../services/images/formats/index.ts';
import { inspectImage } from '../../../services/images/inspect-image.ts';
import type { ImageType } from '../../../entities/media.ts';
import { animation, hasNoMetadata, noise, SECRET, withPlace } from '../../harness/images.ts';

const pixels = (bytes: Uint8Array) => sharp(bytes, { pages: -1 }).raw().toBuffer();

const encoders: Record<string, [ImageType, (image: Sharp) => Sharp]> = {
  PNG: ['image/png', (image) => image.png()],
  JPEG: ['image/jpeg', (image) => image.jpeg()],
  'progressive JPEG': ['image/jpeg', (image) => image.jpeg({ progressive: true })],
  WebP: ['image/webp', (image) => image.webp()],
  'lossless WebP': ['image/webp', (image) => image.webp({ lossless: true })],
};

describe('withoutMetadata', () => {
  it.each(Object.keys(encoders))('removes the location from a %s and changes no pixel', async (name) => {
    const [type, encode] = encoders[name]!;
    const bytes = await encode(withPlace(noise(50, 30))).toBuffer();

    const stripped = withoutMetadata(formatOf(type), bytes);

    expect([await hasNoMetadata(bytes), await hasNoMetadata(stripped)]).toEqual([false, true]);
    expect(await pixels(stripped)).toEqual(await pixels(bytes));
    expect(await inspectImage(stripped, type)).toEqual({ width: 50, height: 30 });
  });

  it('removes comments and unknown extensions from an animated GIF, and keeps its frames and its loop', async () => {
    const bytes = await (await animation(5)).gif({ loop: 3, delay: [80, 90, 100, 110, 120] }).toBuffer();
    const comment = Buffer.concat([Buffer.from([0x21, 0xfe, SECRET.length]), Buffer.from(SECRET), Buffer.from([0])]);
    const end = bytes.length - 1;
    const talking = Buffer.concat([bytes.subarray(0, end), comment, bytes.subarray(end)]);

    const stripped = withoutMetadata(formatOf('image/gif'), talking);

    expect([await hasNoMetadata(talking), await hasNoMetadata(stripped)]).toEqual([false, true]);
    expect(await sharp(stripped).metadata()).toMatchObject({ pages: 5, loop: 3, delay: [80, 90, 100, 110, 120] });
    expect(await pixels(stripped)).toEqual(await pixels(bytes));
  });

  it('removes text from a PNG', async () => {
    const bytes = await noise(5, 5).png().toBuffer();
    const content = Buffer.from(`tEXtComment\0${SECRET}`, 'latin1');
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(content.length - 4);
    frame.writeUInt32BE(crc32(content), 4);
    const chunk = Buffer.concat([frame.subarray(0, 4), content, frame.subarray(4)]);
    const end = bytes.length - 12;
    const talking = Buffer.concat([bytes.subarray(0, end), chunk, bytes.subarray(end)]);

    expect(await inspectImage(talking, 'image/png')).toEqual({ width: 5, height: 5 });
    expect(withoutMetadata(formatOf('image/png'), talking)).toEqual(withoutMetadata(formatOf('image/png'), bytes));
    expect(withoutMetadata(formatOf('image/png'), talking).includes(SECRET)).toBe(false);
  });

  it('keeps the colours of an image with an embedded profile', async () => {
    const bytes = await withPlace(noise(20, 20)).withIccProfile('p3').jpeg().toBuffer();

    const stripped = withoutMetadata(formatOf('image/jpeg'), bytes);

    expect((await sharp(stripped).metadata()).icc).toEqual((await sharp(bytes).metadata()).icc);
    expect(await hasNoMetadata(stripped)).toBe(true);
  });

  it('removes the further pictures that a phone appends to the first', async () => {
    const first = await noise(20, 20).jpeg().toBuffer();

    expect(withoutMetadata(formatOf('image/jpeg'), Buffer.concat([first, first]))).toHaveLength(first.length);
  });
});
