/**
 * Measures a text in the units of the platforms. Links count in full here, so a text may be shorter on the
 * platform.
 */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Characters that X counts as one; all others count as two. */
const LIGHT = /[^\u{1100}-\u{1fff}\u{200e}\u{200f}\u{2020}-\u{2031}\u{2038}-\u{10ffff}]/u;

const COUNTERS: Readonly<Record<string, (text: string) => number>> = {
  graphemes: (text) => [...segmenter.segment(text)].length,
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
  weighted,
  emoji_bytes: emojiBytes,
};

/** X's weights: two for an emoji, one or two for a code point, depending on its script. */
function weighted(text: string): number {
  let weight = 0;
  for (const { segment } of segmenter.segment(text.normalize())) {
    const isEmoji = /^\p{RGI_Emoji}$/v.test(segment);
    weight += isEmoji ? 2 : [...segment].reduce((sum, character) => sum + (LIGHT.test(character) ? 1 : 2), 0);
  }
  return weight;
}

/** Threads' count: one for a code point; an emoji counts as its bytes. */
function emojiBytes(text: string): number {
  const emoji = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u;
  const encoder = new TextEncoder();
  return [...segmenter.segment(text)].reduce(
    (sum, { segment }) => sum + (emoji.test(segment) ? encoder.encode(segment).length : [...segment].length),
    0,
  );
}

/** @param unit as GET /platforms returns it */
export function textLength(text: string, unit: string): number {
  const count = COUNTERS[unit] ?? COUNTERS['characters'];
  return count?.(text) ?? text.length;
}
