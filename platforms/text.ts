/** How platforms count the length of a text. Pure; one function a unit, each tested as a table. */
import type { TextFacts } from './contract.ts';
import { weighText } from './x/weigh.ts';

/**
 * `graphemes`: what people see as one character. `characters`: Unicode code points. `utf16`: JavaScript's
 * length. `weighted`: as X weighs characters and links. `emoji_bytes`: code points, but an emoji is as many
 * as its bytes in UTF-8, as Threads has it.
 */
export type TextUnit = 'graphemes' | 'characters' | 'utf16' | 'weighted' | 'emoji_bytes';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Any http(s) address, without the punctuation that usually ends a sentence around it. */
const LINK = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/giu;

/** `@user@host`, of which federated platforms count the `@user` only. */
const REMOTE_MENTION = /(?<=^|[^\w/])(@[\w.-]*\w)@[\w-]+(?:\.[\w-]+)+/gu;

function countGraphemes(text: string): number {
  // Most posts are short ASCII, where every UTF-16 unit but CRLF is a grapheme of its own.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length;
  let count = 0;
  for (const _segment of segmenter.segment(text)) count += 1;
  return count;
}

/** What makes a grapheme an emoji: a pictograph, half a flag, or the box of a keycap. Rather too many than too few. */
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

/** Hashtags in a text: `#` and letters, digits or underscores, where no word runs into it. */
export function countHashtags(text: string): number {
  return text.match(/(?<![\p{L}\p{N}_&#])#[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

/** Mentions in a text: `@` and a name, where no word runs into it, as in an address of e-mail. */
export function countMentions(text: string): number {
  return text.match(/(?<![\p{L}\p{N}_@.])@[\w.]*\w/gu)?.length ?? 0;
}

/** Length of `text` as the platform with these facts counts it. */
export function countText(text: string, facts: TextFacts): number {
  const count = COUNTERS[facts.unit];
  if (facts.urlLength === undefined) return count(text);
  const reserved = 'x'.repeat(facts.urlLength);
  return count(text.replace(LINK, reserved).replace(REMOTE_MENTION, '$1'));
}
