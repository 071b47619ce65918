/** Measures the length of a text in each platform's unit. Pure; one function per unit, each with a table test. */
import type { TextFacts } from './contract.ts';
import { weighText } from './x/weigh.ts';

/**
 * `graphemes`: user-perceived characters. `characters`: Unicode code points. `utf16`: JavaScript's length.
 * `weighted`: X's weights of characters and links. `emoji_bytes`: code points, but an emoji counts as its UTF-8
 * bytes, as on Threads.
 */
export type TextUnit = 'graphemes' | 'characters' | 'utf16' | 'weighted' | 'emoji_bytes';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Any http(s) URL, without the punctuation that usually ends the surrounding sentence. */
const LINK = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/giu;

/** `@user@host`; federated platforms count only the `@user`. */
const REMOTE_MENTION = /(?<=^|[^\w/])(@[\w.-]*\w)@[\w-]+(?:\.[\w-]+)+/gu;

function countGraphemes(text: string): number {
  // Most posts are short ASCII, where every UTF-16 unit except CRLF is one grapheme.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length;
  let count = 0;
  for (const _segment of segmenter.segment(text)) count += 1;
  return count;
}

/** Marks of an emoji: a pictograph, a regional indicator, or the enclosing keycap. Rather too many than too few. */
const EMOJI = /[\p{Extended_Pictographic}\p{Regional_Indicator}\u20e3]/u;

function countEmojiBytes(text: string): number {
  if (!EMOJI.test(text)) return [...text].length;
  let count = 0;
  for (const { segment } of segmenter.segment(text)) {
    count += EMOJI.test(segment) ? Buffer.byteLength(segment) : [...segment].length;
  }
  return count;
}

const COUNTERS: Record<TextUnit, (text: string) => number> = {
  graphemes: countGraphemes,
  characters: (text) => [...text].length,
  utf16: (text) => text.length,
  weighted: weighText,
  emoji_bytes: countEmojiBytes,
};

/** Finds hashtags in a text: `#` and letters, digits or underscores, not directly after a word. */
export function countHashtags(text: string): number {
  return text.match(/(?<![\p{L}\p{N}_&#])#[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

/** Finds mentions in a text: `@` and a name, not directly after a word as in an email address. */
export function countMentions(text: string): number {
  return text.match(/(?<![\p{L}\p{N}_@.])@[\w.]*\w/gu)?.length ?? 0;
}

/** Measures `text` in the unit of the platform with these facts. */
export function countText(text: string, facts: TextFacts): number {
  const count = COUNTERS[facts.unit];
  if (facts.urlLength === undefined) return count(text);
  const reserved = 'x'.repeat(facts.urlLength);
  return count(text.replace(LINK, reserved).replace(REMOTE_MENTION, '$1'));
}
