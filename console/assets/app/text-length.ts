/** Length of a text in the units platforms count in. Links count in full here, so a text may be shorter on the platform. */

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

const COUNTERS: Readonly<Record<string, (text: string) => number>> = {
  graphemes: (text) => [...segmenter.segment(text)].length,
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
};

/** @param unit as GET /platforms names it */
export function textLength(text: string, unit: string): number {
  const count = COUNTERS[unit] ?? COUNTERS['characters'];
  return count?.(text) ?? text.length;
}
