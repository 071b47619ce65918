/** What a send does to an image, in words. */
import type { Verdict } from './use-verdicts.ts';

type Outcome = Verdict['images'][number];

const WORDS: Readonly<Record<Outcome['changes'][number], (outcome: Outcome) => string>> = {
  resized: ({ width, height }) => `made smaller, to ${width} × ${height}`,
  converted: () => 'converted to another type',
  still: () => 'shown as a still image',
  compressed: () => 'compressed to fewer bytes',
  altTextCut: () => 'the alt text is cut',
  altTextDropped: () => 'the alt text is left out',
};

/** Null when the image goes as it is. */
export function changesInWords(outcome: Outcome): string | null {
  if (outcome.reason !== undefined) return outcome.reason;
  return outcome.changes.length === 0 ? null : outcome.changes.map((change) => WORDS[change](outcome)).join(', ');
}
