import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImageFacts } from '../../../platforms/contract.ts';
import { planImage, type StoredImage } from '../../../services/images/plan-image.ts';

const IMAGE: StoredImage = {
  contentType: 'image/jpeg',
  sizeBytes: 500_000,
  width: 2000,
  height: 1000,
  frames: 1,
  isUpright: true,
  hasAlpha: false,
  isScreenColour: true,
};

const FACTS: ImageFacts = { max: 4, maxBytes: 1_000_000, types: ['image/jpeg', 'image/png'], altTextMax: null };

const GIF = { types: ['image/jpeg', 'image/gif'] };

function firstTry(image: Partial<StoredImage>, facts: Partial<ImageFacts> = {}) {
  const plan = planImage({ ...IMAGE, ...image }, { ...FACTS, ...facts });
  if (plan.kind === 'keep') return 'keep';
  const [first] = plan.tries;
  return first === undefined ? 'nothing' : `${first.contentType} ${first.width}x${first.height} q${first.quality}`;
}

describe('planImage', () => {
  it.each<[string, Partial<StoredImage>, Partial<ImageFacts>, string]>([
    ['what fits as it is', {}, {}, 'keep'],
    ['what has exactly the most bytes', { sizeBytes: 1_000_000 }, {}, 'keep'],
    ['what has one byte too many', { sizeBytes: 1_000_001 }, {}, 'image/jpeg 2000x1000 q92'],
    ['a type that is not taken', { contentType: 'image/webp' }, {}, 'image/jpeg 2000x1000 q92'],
    [
      'a type that is not taken, with transparency',
      { contentType: 'image/webp', hasAlpha: true },
      {},
      'image/png 2000x1000 q100',
    ],
    [
      'transparency where only JPEG is taken',
      { contentType: 'image/png', hasAlpha: true },
      { types: ['image/jpeg'] },
      'image/jpeg 2000x1000 q92',
    ],
    [
      'a large PNG with transparency',
      { contentType: 'image/png', hasAlpha: true, sizeBytes: 9_000_000 },
      { types: ['image/png', 'image/webp'] },
      'image/webp 2000x1000 q92',
    ],
    ['a picture on its side', { isUpright: false }, {}, 'image/jpeg 2000x1000 q92'],
    ['colours of print', { isScreenColour: false }, {}, 'image/jpeg 2000x1000 q92'],
    ['too many pixels', {}, { maxPixels: 500_000 }, 'image/jpeg 1000x500 q92'],
    ['exactly the most pixels', {}, { maxPixels: 2_000_000 }, 'keep'],
    [
      'a GIF with exactly the most pixels',
      { contentType: 'image/gif' },
      { ...GIF, gif: { maxPixels: 2_000_000 } },
      'keep',
    ],
    [
      'a GIF with one pixel too many',
      { contentType: 'image/gif' },
      { ...GIF, gif: { maxPixels: 1_999_999 } },
      'image/jpeg 2000x1000 q92',
    ],
    [
      'a GIF with exactly the most frames',
      { contentType: 'image/gif', frames: 250 },
      { ...GIF, gif: { maxFrames: 250 } },
      'keep',
    ],
    [
      'a GIF with one frame too many',
      { contentType: 'image/gif', frames: 251 },
      { ...GIF, gif: { maxFrames: 250 } },
      'image/jpeg 2000x1000 q92',
    ],
    ['another type with as many pixels', {}, { gif: { maxPixels: 1 } }, 'keep'],
    ['too wide', {}, { maxWidth: 1000 }, 'image/jpeg 1000x500 q92'],
    ['too high', {}, { maxHeight: 100 }, 'image/jpeg 200x100 q92'],
    [
      'far more pixels than bytes allow',
      { width: 8000, height: 6000, sizeBytes: 8_000_000 },
      {},
      'image/jpeg 3651x2738 q92',
    ],
    ['a platform that takes nothing we write', { contentType: 'image/png' }, { types: ['image/avif'] }, 'nothing'],
  ])('plans %s', (_case, image, facts, expected) => {
    expect(firstTry(image, facts)).toBe(expected);
  });

  const image = fc.record<StoredImage>({
    contentType: fc.constantFrom('image/png', 'image/jpeg', 'image/gif', 'image/webp'),
    sizeBytes: fc.integer({ min: 20, max: 8_388_608 }),
    width: fc.integer({ min: 1, max: 20_000 }),
    height: fc.integer({ min: 1, max: 20_000 }),
    frames: fc.integer({ min: 1, max: 500 }),
    isUpright: fc.boolean(),
    hasAlpha: fc.boolean(),
    isScreenColour: fc.boolean(),
  });
  const facts = fc.record({
    max: fc.constant(4),
    maxBytes: fc.integer({ min: 1000, max: 20_000_000 }),
    types: fc.subarray(['image/png', 'image/jpeg', 'image/gif', 'image/webp'], { minLength: 1 }),
    altTextMax: fc.constant(null),
    maxPixels: fc.integer({ min: 100, max: 40_000_000 }),
    maxWidth: fc.integer({ min: 10, max: 10_000 }),
    maxHeight: fc.integer({ min: 10, max: 10_000 }),
  });

  it('uses only formats within every limit, and tries only those', () => {
    fc.assert(
      fc.property(image, facts, (stored, taken) => {
        const plan = planImage(stored, taken);
        const tries = plan.kind === 'keep' ? [stored] : plan.tries;
        if (plan.kind === 'keep') expect(stored.sizeBytes).toBeLessThanOrEqual(taken.maxBytes);
        expect(tries.length).toBeGreaterThan(0);
        for (const { contentType, width, height } of tries) {
          expect(taken.types).toContain(contentType);
          expect([width, height].every((side) => Number.isInteger(side) && side >= 1)).toBe(true);
          expect(
            width <= taken.maxWidth &&
              height <= taken.maxHeight &&
              width * height <= Math.max(taken.maxPixels, width, height),
          ).toBe(true);
          expect(width <= stored.width && height <= stored.height).toBe(true);
        }
      }),
    );
  });

  it('never requests a larger image on the second try', () => {
    fc.assert(
      fc.property(image, facts, (stored, taken) => {
        const plan = planImage(stored, taken);
        const tries = plan.kind === 'keep' ? [] : plan.tries;
        for (const [index, next] of tries.slice(1).entries()) {
          const before = tries[index]!;
          expect(next.width <= before.width && next.height <= before.height).toBe(true);
          expect(
            next.width < before.width ||
              next.height < before.height ||
              next.quality <= before.quality ||
              next.width === 1 ||
              next.height === 1,
          ).toBe(true);
        }
      }),
    );
  });
});
