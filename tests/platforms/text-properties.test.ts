/** Counting rules as properties, for every unit. */
import { array, assert, constantFrom, integer, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TextUnit } from '../../platforms/content-facts.ts';
import { CHARACTERS, countText, GRAPHEMES, UTF16_UNITS } from '../../platforms/text.ts';
import { WEIGHTED } from '../../platforms/x/weigh.ts';
import { createRegistry } from '../../platforms/registry.ts';
import { checkText } from '../../platforms/check-text.ts';

const UNITS: readonly TextUnit[] = [GRAPHEMES, CHARACTERS, UTF16_UNITS, WEIGHTED];
const RUNS = { seed: 20261121, numRuns: 300 };

/** Characters of one, two and many code points, none of which joins its neighbors; no dots, so no links. */
const SIGNS = ['a', 'Z', '7', ' ', 'é', 'ß', '語', 'か', '€', '…', '👍', '👍🏽', '👨‍👩‍👧‍👦', '🎉'];
const words = string({ unit: constantFrom(...SIGNS), maxLength: 80 });

const count = (text: string, unit: TextUnit) => countText(text, { maxLength: 500, unit });

describe.each(UNITS)('$name', (unit) => {
  it('of two texts on two lines are the sum of both plus one', () => {
    assert(
      property(words, words, (one, other) => {
        expect(count(`${one}\n${other}`, unit)).toBe(count(one, unit) + 1 + count(other, unit));
      }),
      RUNS,
    );
  });

  it('are never less than the graphemes, nor more than twice the UTF-16 units', () => {
    assert(
      property(words, (text) => {
        expect(count(text, unit)).toBeGreaterThanOrEqual(count(text, GRAPHEMES));
        expect(count(text, unit)).toBeLessThanOrEqual(2 * text.length);
      }),
      RUNS,
    );
  });
});

describe('a link', () => {
  it('counts the same at any length, and once per occurrence', () => {
    const path = string({ unit: constantFrom(...'abc019-_/'), minLength: 1, maxLength: 60 }).map((text) => `${text}z`);
    assert(
      property(array(path, { minLength: 1, maxLength: 5 }), words, (paths, text) => {
        const links = paths.map((end) => `https://example.com/${end}`).join(' ');
        const facts = { maxLength: 500, unit: GRAPHEMES, urlLength: 23 };

        const counted = countText(`${text}\n${links}`, facts);

        expect(counted).toBe(count(text, GRAPHEMES) + 1 + 23 * paths.length + (paths.length - 1));
        expect(count(`${text}\n${links}`, WEIGHTED)).toBe(count(text, WEIGHTED) + 24 * paths.length);
      }),
      RUNS,
    );
  });
});

describe('a limit', () => {
  const platforms = Object.values(createRegistry({} as never));

  it.each(platforms.map((platform) => [platform.id, platform] as const))(
    'of %s refuses exactly the texts that count more, and the message has both numbers',
    (_id, platform) => {
      const { maxBytes: _bytes, ...facts } = platform.text;
      const bounded = { ...platform, text: { ...facts, maxLength: 40 } };
      assert(
        property(words, integer({ min: 0, max: 40 }), (text, filling) => {
          const whole = text + 'x'.repeat(filling);
          const length = countText(whole, bounded.text);

          const error = checkText(bounded, null, whole);

          expect(error === null).toBe(length <= 40);
          if (error === null) return;
          expect(error.code).toBe('platform_rejected');
          expect(error.message).toContain(String(length));
          expect(error.message).toContain('40');
        }),
        RUNS,
      );
    },
  );
});
