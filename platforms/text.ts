/** Measures texts: the units that several platforms count in, hashtags and mentions. A platform may bring its own unit. */
import type { TextFacts, TextUnit } from './content-facts.ts';
import { DOMAIN_RUN, domainEnd } from './domains.ts';

let segmenter: Intl.Segmenter | undefined;

/** Splits a text into user-perceived characters. Making the segmenter takes 13 ms, which no start has to wait for. */
export function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return segmenter.segment(text);
}

/** Where a URL begins: not directly after a Latin letter, a digit or the sign of a mention or tag. */
const PROTOCOL = /(?<![a-z0-9@＠$#＃])https?:\/\//giu;

/** What may follow the domain of a URL, with the punctuation that may follow the URL. */
const REST = /(?::\d+)?(?:[/?][^\s<>"]*)?/y;

/** What a path does not end with, but may contain. A closing parenthesis may belong to the URL. */
const TAIL = `?!*"'「」<>;:=,.$%[]~&|@`;

/** What a query may end with. */
const QUERY_END = /[a-z0-9_&=#/-]/i;

/** `@user@host`; federated platforms count only the `@user`. */
const REMOTE_MENTION = /(?<![\p{L}\p{M}\p{N}_=/])(@[\w.-]*\w)@[\w-]+(?:\.[\w-]+)+/gu;

function countGraphemes(text: string): number {
  // Most posts are short ASCII, where every UTF-16 unit except CRLF is one grapheme.
  if (/^[\x20-\x7e\n]*$/.test(text)) return text.length;
  let count = 0;
  for (const _grapheme of graphemesOf(text)) count += 1;
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
  const query = link.indexOf('?');
  let unopened = link.split(')').length - link.split('(').length;
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link.charAt(end - 1);
    const isInQuery = query !== -1 && end - 1 > query;
    if (isInQuery ? QUERY_END.test(last) : last === ')' ? unopened <= 0 : !TAIL.includes(last)) break;
    if (last === ')') unopened -= 1;
  }
  return end;
}

/** Measures `text` in the unit of the platform with these facts. */
export function countText(text: string, facts: TextFacts): number {
  const { unit, urlLength } = facts;
  if (urlLength === undefined) return unit.count(text);
  return unit.count(withShortLinks(text, '_'.repeat(urlLength)).replace(REMOTE_MENTION, '$1'));
}

/** @param short replaces each link */
function withShortLinks(text: string, short: string): string {
  let shortened = '';
  let at = 0;
  for (const { index } of text.matchAll(PROTOCOL)) {
    const end = index < at ? undefined : linkEnd(text, text.indexOf('//', index) + 2);
    if (end === undefined) continue;
    shortened += text.slice(at, index) + short;
    at = end;
  }
  return shortened + text.slice(at);
}

/** End of the link whose domain begins at `start`; undefined when there is no domain. */
function linkEnd(text: string, start: number): number | undefined {
  const runs = new RegExp(DOMAIN_RUN);
  runs.lastIndex = start;
  const run = runs.exec(text);
  const end = run?.index === start ? domainEnd(text, start, runs.lastIndex) : undefined;
  if (end === undefined) return undefined;
  const rest = new RegExp(REST);
  rest.lastIndex = end;
  return start + tailStart(text.slice(start, end + (rest.exec(text)?.[0].length ?? 0)));
}
