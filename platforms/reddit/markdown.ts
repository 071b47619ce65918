/**
 * Converts text to Reddit markdown that shows it unchanged. URLs are not escaped, so that they become links:
 * Reddit treats a backslash in a URL as part of it.
 *
 * @see https://www.reddit.com/r/reddit.com/wiki/markdown/
 */

/** A URL as Reddit finds it: up to the next white space. Signs that no URL contains end it here. */
const ADDRESS = /(?:https?:\/\/(?=[\p{L}\p{N}[])|(?<![\p{L}\p{N}])www\.(?=[\p{L}\p{N}]))[^\s<>`\\]+/giu;

/** Signs at the end of a URL that belong to the sentence around it; brackets only if the URL does not open them. */
const TAIL = `.,;:!?"'*~^|)]}`;

/** Closing brackets, and what opens each. */
const BRACKETS = [
  [')', '('],
  [']', '['],
  ['}', '{'],
] as const;

/**
 * Characters that are special anywhere in a line. An ampersand is so only at the start of an entity, and an underscore not within a word,
 * where it may be part of the name of a person or community: Reddit ends the name at a backslash.
 */
const ANYWHERE = /[\\`*[\]~^|<>]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|&(?=#?\w+;)/gu;

/** Characters that are special at the start of a line: headings, lists, rules. */
const LINE_START = /^(?:[#+-]|\d+(?=[.)]))/u;

/** Lines of these characters only, which turn the previous line into a heading. */
const UNDERLINE = /^=+\s*$/u;

/** A zero-width character that neutralizes signs that a backslash cannot escape. */
const NOTHING = '\u200b';

/** A non-breaking space: several spaces at the start of a line would make it code. */
const KEPT_SPACE = '\u00a0';

export function toMarkdown(text: string): string {
  const lines = text
    .toWellFormed()
    .split(/\r\n|\r|\n/u)
    .map(literalLine);
  // Two trailing spaces break a line; otherwise markdown joins it to the next one.
  return lines.map((line, index) => (isBroken(line, lines[index + 1]) ? `${line}  ` : line)).join('\n');
}

/** Converts markdown to the text that people see. */
export function fromMarkdown(markdown: string): string {
  const visible = (_all: string, sign?: string, url?: string) => sign ?? url ?? '';
  return markdown.replace(/ {2}\n/gu, '\n').replace(/\\([^A-Za-z\d\s])|<(https?:\/\/[^\s<>]+)>/giu, visible);
}

function isBroken(line: string, next: string | undefined): boolean {
  return line !== '' && next !== undefined && next !== '';
}

function literalLine(line: string): string {
  const content = line.trimStart();
  if (content === '') return '';
  const indent = KEPT_SPACE.repeat(line.length - content.length);
  if (UNDERLINE.test(content)) return `${indent}${NOTHING}${content}`;
  return indent + escaped(content).replace(LINE_START, atLineStart);
}

/**
 * A URL that a backslash would follow is put in angle brackets, which end it: the backslash would become part of it. Around one without
 * a scheme they would be shown.
 */
function escaped(content: string): string {
  let markdown = '';
  let at = 0;
  for (const { 0: match, index } of content.matchAll(ADDRESS)) {
    const url = withoutTail(match);
    const end = index + url.length;
    const following = escapedPlain(content.slice(end, index + match.length + 1));
    markdown +=
      escapedPlain(content.slice(at, index)) + (following.includes('\\') && url.includes('://') ? `<${url}>` : url);
    at = end;
  }
  return markdown + escapedPlain(content.slice(at));
}

function escapedPlain(text: string): string {
  return text.replace(ANYWHERE, '\\$&');
}

function withoutTail(link: string): string {
  const unopened = new Map<string, number>(
    BRACKETS.map(([closer, opener]) => [closer, link.split(closer).length - link.split(opener).length]),
  );
  let end = link.length;
  for (; end > 0; end -= 1) {
    const last = link.charAt(end - 1);
    const surplus = unopened.get(last);
    if (!TAIL.includes(last) || (surplus !== undefined && surplus <= 0)) break;
    if (surplus !== undefined) unopened.set(last, surplus - 1);
  }
  return link.slice(0, end);
}

/** The sign after the number is escaped, not the number: the sign makes it a list item. */
function atLineStart(sign: string): string {
  return /\d/u.test(sign) ? `${sign}\\` : `\\${sign}`;
}
