/** Decides whether a model's answer can be proposed as alt text: words only, short, and without links or mentions. Pure. */
import { PolishFailure, type PolishRequest } from '../ports/polisher.ts';
import { hasAddedMarkup } from './added-markup.ts';
import { checkWords } from './check-rewrite.ts';
import { linksAndMentionsOf } from './kept-parts.ts';

/** The requirements for the answer. */
export interface AltTextTerms {
  readonly boundary: string;
  readonly request: PolishRequest;
  /** Most characters. */
  readonly max: number;
}

/** @returns the alt text, in one line. @throws PolishFailure naming the problem with the answer */
export function checkAltText(answer: string, { boundary, request, max }: AltTextTerms): string {
  const what = 'The alt text';
  const words = checkWords(answer, { original: '', boundary, request, what });
  // Before the lines become one, because some markup is recognised at the start of a line.
  if (hasAddedMarkup('', words)) throw new PolishFailure(`${what} holds markup.`);
  const text = words.replaceAll(/\s+/g, ' ');
  if (text.length > max) throw new PolishFailure(`${what} has ${text.length} characters; at most ${max} are stored.`);
  const [found] = linksAndMentionsOf(text);
  if (found !== undefined) throw new PolishFailure(`${what} holds a ${found}.`);
  return text;
}
