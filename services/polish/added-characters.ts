/**
 * Finds characters that a model added and that a reader cannot see, or that change the order of what a reader sees. They
 * hide text from people that machines read, or the reverse. Pure.
 */

/**
 * C1 controls, soft hyphen, line and paragraph separators, zero-width characters, all direction marks, fillers that look
 * like nothing, annotations, variation selectors other than that of emoji, and tags.
 */
const HIDDEN =
  // eslint-disable-next-line no-misleading-character-class -- the class lists single characters
  /[\u0080-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffc\u{13430}-\u{1345f}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}\p{Co}]/gu;

/** The flags of England, Scotland and Wales are written with tags. */
const FLAG = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}/gu;

/** A joiner outside of emoji and of scripts that need it; the selector of emoji without one. */
const STRAY = [
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Oriya}\p{Script=Sinhala}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Mongolian}\p{Script=Khmer}\p{Script=Myanmar}\p{M}])[\u200c\u200d]/gu,
  /(?<![\p{Emoji}\p{Extended_Pictographic}])\ufe0f/gu,
] as const;

/** Whether the answer has more of such a character than the original. Pass '' when there is no original. */
export function hasAddedCharacters(original: string, answer: string): boolean {
  const [had, has] = [countsOf(original), countsOf(answer)];
  return [...has].some(([character, count]) => count > (had.get(character) ?? 0));
}

function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  const visible = text.replaceAll(FLAG, '');
  for (const pattern of [HIDDEN, ...STRAY]) {
    for (const [character] of visible.matchAll(pattern)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  return counts;
}
