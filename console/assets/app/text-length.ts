/** Length of a text in the units platforms count in. Links count in full here, so a text may be shorter on the platform. */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** What X counts as one; everything else counts as two. */
const LIGHT = /[^\u{1100}-\u{1fff}\u{200e}\u{200f}\u{2020}-\u{2031}\u{2038}-\u{10ffff}]/u;

const COUNTERS: Readonly<Record<string, (text: string) => number>> = {
  graphemes: (text) => [...segmenter.segment(text)].length,
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
  weighted,
};

/** X's weights: an emoji two, a code point one or two by its script. */
function weighted(text: string): number {
  let weight = 0;
  for (const { segment } of segmenter.segment(text.normalize())) {
    const isEmoji = /^\p{RGI_Emoji}$/v.test(segment);
    weight += isEmoji ? 2 : [...segment].reduce((sum, character) => sum + (LIGHT.test(character) ? 1 : 2), 0);
  }
  return weight;
}

/** @param unit as GET /platforms names it */
export function textLength(text: string, unit: string): number {
  const count = COUNTERS[unit] ?? COUNTERS['characters'];
  return count?.(text) ?? text.length;
}
