/** Tag rules as properties: whatever is sent, what is stored keeps them (docs/contract/posts.md#tags). */
import { array, assert, constantFrom, oneof, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tags } from '../../../routers/schemas/post-body.ts';

const TAG = /^[a-z0-9\-_:./]{1,40}$/;
const RUNS = { seed: 20261121, numRuns: 500 };

const letters = constantFrom(...'abcXYZ019-_:./');
const good = string({ unit: letters, minLength: 1, maxLength: 40 });
const padded = good.map((tag) => `  ${tag}\t`);
const anything = oneof(good, padded, string({ maxLength: 60 }));

/** What the rules say of one tag, written another way than the product does. */
const normal = (tag: string) => tag.trim().toLowerCase();

describe('tags', () => {
  it('are taken exactly when each is well-formed once trimmed and lowercased, and at most ten are left', () => {
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

  it('stay what they are when they are sent again', () => {
    assert(
      property(array(padded, { maxLength: 10 }), (tags) => {
        const once = Tags.parse(tags);

        expect(Tags.parse(once)).toEqual(once);
      }),
      RUNS,
    );
  });

  it('that differ in case or padding only are one, at the place of the first', () => {
    assert(
      property(good, good, (one, other) => {
        const parsed = Tags.parse([one, other, ` ${one.toUpperCase()} `]);

        expect(parsed).toEqual([...new Set([normal(one), normal(other)])]);
      }),
      RUNS,
    );
  });
});
