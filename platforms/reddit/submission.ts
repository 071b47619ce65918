/**
 * Converts a text to a Reddit submission, which needs a title: the first line is the title, the rest is the body.
 * A lone URL becomes a link. Pure.
 */
import type { TextUnit } from '../content-facts.ts';
import { graphemesOf } from '../text.ts';
import { toMarkdown } from './markdown.ts';

/** Maximum characters of a title. */
export const TITLE_MAX = 300;

export interface Submission {
  readonly kind: 'self' | 'link';
  readonly title: string;
  /** Markdown of a `self` post, or the URL of a `link` post. */
  readonly content: string;
}

const LONE_ADDRESS = /^https?:\/\/\S+$/iu;

export function submissionOf(text: string): Submission {
  const whole = text.toWellFormed().trim();
  if (LONE_ADDRESS.test(whole) && URL.canParse(whole)) {
    return { kind: 'link', title: cut(whole), content: whole };
  }
  const [first = '', ...rest] = whole.split(/\r\n|\r|\n/u);
  const line = first.trim();
  // A line that does not fit is truncated in the title and repeated in full in the body, so that no text is lost.
  const below = cut(line) === line ? rest.join('\n') : whole;
  return { kind: 'self', title: cut(line), content: toMarkdown(below.replace(/^\s*\n/u, '').trimEnd()) };
}

/**
 * Characters of what Reddit receives as the text. Its limit is on the raw markdown, escapes included, and the title has
 * a separate one.
 *
 * @see https://github.com/reddit-archive/reddit/blob/master/r2/r2/lib/validator/validator.py
 */
export const MARKDOWN: TextUnit = {
  name: 'markdown',
  plural: 'characters below the title, with the backslashes that keep signs from being read as markdown',
  count: (text) => [...submissionOf(text).content].length,
};

/** Truncates between graphemes. */
function cut(line: string): string {
  if ([...line].length <= TITLE_MAX) return line;
  let title = '';
  let length = 1;
  for (const { segment } of graphemesOf(line)) {
    length += [...segment].length;
    if (length > TITLE_MAX) break;
    title += segment;
  }
  return `${title.trimEnd()}…`;
}
