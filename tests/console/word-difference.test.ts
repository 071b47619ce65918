/** The difference of two texts, as the polish of Compose shows it. */
import { describe, expect, it } from 'vitest';
import { type Difference, differenceOf } from '../../console/app/views/compose/word-difference.ts';

const marked = (before: string, after: string) =>
  differenceOf(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'added' ? '+' : '-'}[${text}]`))
    .join('');
const side = (parts: readonly Difference[], without: Difference['kind']) =>
  parts
    .filter(({ kind }) => kind !== without)
    .map(({ text }) => text)
    .join('');

describe('the difference', () => {
  it.each([
    ['same words', 'same words', 'same words'],
    ['one two three', 'one 2 three', 'one -[two]+[2] three'],
    ['one two', 'one two three', 'one two+[ three]'],
    ['', 'new', '+[new]'],
    ['old', '', '-[old]'],
    ['a b c d', 'b c x d', '-[a ]b c+[ x] d'],
  ])('of %j and %j', (before, after, expected) => {
    expect(marked(before, after)).toBe(expected);
  });

  it('returns both texts, also very long ones', () => {
    const before = 'word '.repeat(5_000);
    const after = `Other ${'text '.repeat(5_000)}`;

    const parts = differenceOf(before, after);

    expect([side(parts, 'added'), side(parts, 'removed')]).toEqual([before, after]);
  });
});
