/** Measures texts: the units that several platforms count in, hashtags and mentions. A platform may bring its own unit. */
import type { TextFacts, TextUnit } from './content-facts.ts';

/** Splits a text into user-perceived characters. */
export const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Any http(s) URL, with the punctuation that may follow it. An apostrophe belongs to no host: `https://a.io's`. */
const LINK = /https?:\/\/[^\s<>"'/?#.,;:!?)\]}][^\s<>"'/?#]+(?:[/?#][^\s<>"]*)?/giu;

/** Punctuation that ends the surrounding sentence, if it ends a URL. A closing parenthesis may belong to the URL. */
const TAIL = ".,;:!?']}";

/** `@user@host`; federated platforms count only the `@user`. */
const REMOTE_MENTION = /(?<=^|[^\w/])(@[\w.-]*\w)@[\w-]+(?:\.[\w-]+)+/gu;

function countGraphemes(text: string): number {
  // Most posts are short ASCII, where every UTF-16 unit except CRLF is one grapheme.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length;
  let count = 0;
  for (const _segment of segmenter.segment(text)) count += 1;
  return count;
}

/** User-perceived characters. */
export const GRAPHEMES: TextUnit = { name: 'graphemes', plural: 'characters', count: countGraphemes };

/** Unicode code points. */
export const CHARACTERS: TextUnit = { name: 'characters', plural: 'characters', count: (text) => [...text].length };

/** JavaScript's length of a text. */
export const UTF16_UNITS: TextUnit = { name: 'utf16', plural: 'UTF-16 units', count: (text) => text.length };

/** Finds hashtags in a text: `#` and letters, digits or underscores, not directly after a word. */
export function countHashtags(text: string): number {
  return text.match(/(?<![\p{L}\p{N}_&#])#[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

/** Finds mentions in a text: `@` and a name, not directly after a word as in `alice@bells.example`. */
export function countMentions(text: string): number {
  return text.match(/(?<![\p{L}\p{N}_@.])@[\w.]*\w/gu)?.length ?? 0;
}

/** Position at which the punctuation after a URL starts. Balanced parentheses belong to the URL. */
function tailStart(link: string): number {
  let unopened = link.split(')').length - link.split('(').length;
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link.charAt(end - 1);
    if (last === ')' ? unopened <= 0 : !TAIL.includes(last)) break;
    if (last === ')') unopened -= 1;
  }
  return end;
}

/** Measures `text` in the unit of the platform with these facts. */
export function countText(text: string, facts: TextFacts): number {
  const { unit, urlLength } = facts;
  if (urlLength === undefined) return unit.count(text);
  const reserved = '_'.repeat(urlLength);
  const shortened = text.replace(LINK, (link) => reserved + link.slice(tailStart(link)));
  return unit.count(shortened.replace(REMOTE_MENTION, '$1'));
}
