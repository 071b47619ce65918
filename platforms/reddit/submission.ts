/** What a text becomes on Reddit, where every post has a title: its first line, and the rest below. A lone address becomes a link. Pure. */
import { toMarkdown } from './markdown.ts';

/** Characters of a title. */
export const TITLE_MAX = 300;

export interface Submission {
  readonly kind: 'self' | 'link';
  readonly title: string;
  /** Markdown of a `self`, the address of a `link`. */
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
  // A line that does not fit is cut above and stands whole below, so that nothing of the text is lost.
  const below = cut(line) === line ? rest.join('\n') : whole;
  return { kind: 'self', title: cut(line), content: toMarkdown(below.replace(/^\s*\n/u, '').trimEnd()) };
}

/** Cut between characters as people see them. */
function cut(line: string): string {
  if ([...line].length <= TITLE_MAX) return line;
  let title = '';
  let length = 1;
  for (const { segment } of new Intl.Segmenter('en').segment(line)) {
    length += [...segment].length;
    if (length > TITLE_MAX) break;
    title += segment;
  }
  return `${title.trimEnd()}…`;
}
