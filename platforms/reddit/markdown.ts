/**
 * Text as Reddit's markdown that shows it as it was written. Addresses stay as they are, so that they become
 * links: Reddit takes a backslash in one for a part of it.
 *
 * @see https://www.reddit.com/r/reddit.com/wiki/markdown/
 */

/** An address, without the punctuation that usually ends a sentence around it. */
const ADDRESS = /(https?:\/\/[^\s<>"'*`^|\\[\]]*[^\s<>"'*`^|\\[\]().,;:!?_~])/iu;

/** What has a meaning anywhere in a line; an ampersand only where it begins an entity. */
const ANYWHERE = /[\\`*_[\]~^|<>]|&(?=#?\w+;)/gu;

/** What has a meaning at the beginning of a line: headings, lists, rules. */
const LINE_START = /^(?:[#+-]|\d+(?=[.)]))/u;

/** A line of these alone makes a heading of the one before it. */
const UNDERLINE = /^=+\s*$/u;

/** A character of no width, which keeps signs from having a meaning that no backslash takes from them. */
const NOTHING = '\u200b';

/** A space that is kept, where several in front of a line would make it code. */
const KEPT_SPACE = '\u00a0';

export function toMarkdown(text: string): string {
  const lines = text
    .toWellFormed()
    .split(/\r\n|\r|\n/u)
    .map(literalLine);
  // Two spaces break a line, which markdown otherwise joins to the next one.
  return lines.map((line, index) => (isBroken(line, lines[index + 1]) ? `${line}  ` : line)).join('\n');
}

/** The text that people see of it. */
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

/** A number is not escaped itself, but the sign that makes a list of it. */
function atLineStart(sign: string): string {
  return /\d/u.test(sign) ? `${sign}\\` : `\\${sign}`;
}
