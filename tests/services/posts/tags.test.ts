/** Property tests for tags: stored tags follow the rules for any input (docs/contract/posts.md#tags). */
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tags } from '../../../routers/schemas/post-body.ts';

const TAG = /^[a-z0-9\-_:./]{1,40}$/;
const RUNS = { seed: 20261121, numRuns: 500 };

const letters = constantFrom(...'abcXYZ019-_:./');
const good = string({ unit: letters, minLength: 1, maxLength: 40 });
const padded = good.map((tag) => `  ${tag}\t`);
const anything = oneof(good, padded, string({ maxLength: 60 }));

/** The tag rules, implemented differently than in the product. */
const normal = (tag: string) => tag.trim().toLowerCase();

describe('tags', () => {
  it('are accepted exactly if each is well-formed after trimming and lowercasing, and at most ten remain', () => {
    assert(
      property(array(anything, { maxLength: 14 }), (tags) => {
        const kept = [...new Set(tags.map(normal))];
        const wellFormed = tags.every((tag) => TAG.test(normal(tag)));

        const parsed = Tags.safeParse(tags);

        expect(parsed.success).toBe(wellFormed && kept.length <= 10);
        if (parsed.success) expect(parsed.data).toEqual(kept);
      }),
      RUNS,
    );
  });

  it('do not change when they are sent again', () => {
    assert(
      property(array(padded, { maxLength: 10 }), (tags) => {
        const once = Tags.parse(tags);

        expect(Tags.parse(once)).toEqual(once);
      }),
      RUNS,
    );
  });

  it('that differ only in case or padding are merged, at the position of the first', () => {
    assert(
      property(good, good, (one, other) => {
        const parsed = Tags.parse([one, other, ` ${one.toUpperCase()} `]);

        expect(parsed).toEqual([...new Set([normal(one), normal(other)])]);
      }),
      RUNS,
    );
  });
});
