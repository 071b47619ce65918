/**
 * Converts text to Reddit markdown that shows it unchanged. URLs are not escaped, so that they become links:
 * Reddit treats a backslash in a URL as part of it.
 *
 * @see https://www.reddit.com/r/reddit.com/wiki/markdown/
 */

/** A URL, without the punctuation that usually ends the surrounding sentence. */
const ADDRESS = /(https?:\/\/[^\s<>"'*`^|\\[\]]*[^\s<>"'*`^|\\[\]().,;:!?_~])/iu;

/** Characters that are special anywhere in a line; an ampersand only at the start of an entity. */
const ANYWHERE = /[\\`*_[\]~^|<>]|&(?=#?\w+;)/gu;

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
  return markdown.replace(/ {2}\n/gu, '\n').replace(/\\([^A-Za-z\d\s])/gu, '$1');
}

function isBroken(line: string, next: string | undefined): boolean {
  return line !== '' && next !== undefined && next !== '';
}

function literalLine(line: string): string {
  const content = line.trimStart();
  if (content === '') return '';
  const indent = KEPT_SPACE.repeat(line.length - content.length);
  if (UNDERLINE.test(content)) return `${indent}${NOTHING}${content}`;
  const escaped = content
    .split(ADDRESS)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(ANYWHERE, '\\$&')))
    .join('');
  return indent + escaped.replace(LINE_START, atLineStart);
}

/** The sign after the number is escaped, not the number: the sign makes it a list item. */
function atLineStart(sign: string): string {
  return /\d/u.test(sign) ? `${sign}\\` : `\\${sign}`;
}
