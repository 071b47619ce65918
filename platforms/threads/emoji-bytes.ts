/** How Threads counts a text: code points, but an emoji counts as its UTF-8 bytes. */
import type { TextUnit } from '../content-facts.ts';
import { graphemesOf } from '../text.ts';

/** Marks of an emoji: a pictograph, a regional indicator, or the enclosing keycap. Rather too many than too few. */
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u;

function countEmojiBytes(text: string): number {
  if (!EMOJI.test(text)) return [...text].length;
  let count = 0;
  for (const { segment } of graphemesOf(text)) {
    count += EMOJI.test(segment) ? Buffer.byteLength(segment) : [...segment].length;
  }
  return count;
}

export const EMOJI_BYTES: TextUnit = {
  name: 'emoji_bytes',
  plural: 'characters, counting an emoji as its bytes',
  count: countEmojiBytes,
};
