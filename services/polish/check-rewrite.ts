/**
 * Decides whether a model's answer can replace the original text. It must be only a text, fit the platform, keep every
 * link, mention, hashtag and number, add nothing invisible and no markup, and follow the bans of the brand voice. A
 * doubtful answer is rejected. Pure.
 */
import type { ProfileVoice } from '../../entities/profile.ts';
import type { AnyPlatform, ConnectionLimits } from '../../platforms/contract.ts';
import { checkText } from '../../platforms/check-text.ts';
import { PolishFailure, type PolishRequest } from '../ports/polisher.ts';
import { phrasesIn } from '../words/phrases.ts';
import { hasAddedCharacters } from './added-characters.ts';
import { hasAddedMarkup } from './added-markup.ts';
import { checkVoice } from './check-voice.ts';
import { checkKeptParts } from './kept-parts.ts';
import { hasAddedRemarks } from './remarks.ts';
import { unwrapAnswer } from './unwrap-answer.ts';

/** The requirements for the answer. */
export interface RewriteTerms {
  readonly original: string;
  readonly platform: AnyPlatform;
  readonly limits: ConnectionLimits | null;
  readonly boundary: string;
  /** What the model was sent, so that an answer that repeats it is found. */
  readonly request: PolishRequest;
  readonly voice: ProfileVoice | null;
  /** Words that the answer must not add, because no person has approved them. */
  readonly guardedWords: readonly string[];
}

/** @returns the text to send. @throws PolishFailure naming the problem with the answer */
export function checkRewrite(answer: string, terms: RewriteTerms): string {
  const { original, platform, limits, voice, guardedWords } = terms;
  const text = checkWords(answer, terms);
  const error = checkText(platform, limits, text, 'The rewrite');
  if (error !== null) throw new PolishFailure(error.message);
  checkKeptParts(original, text);
  if (hasAddedMarkup(original, text)) throw new PolishFailure('The rewrite added markup.');
  const approved = new Set(phrasesIn([original], guardedWords));
  if (phrasesIn([text], guardedWords).some((word) => !approved.has(word))) {
    throw new PolishFailure('The rewrite added a word that needs a person.');
  }
  if (voice !== null) checkVoice(voice, original, text);
  return text;
}

/** The requirements for any answer. */
interface WordsTerms extends Pick<RewriteTerms, 'original' | 'boundary' | 'request'> {
  /** Subject of the messages. */
  readonly what?: string;
}

/**
 * The part that holds for any answer in words.
 *
 * @returns the answer without wrappers. @throws PolishFailure
 */
export function checkWords(answer: string, { original, boundary, request, what = 'The rewrite' }: WordsTerms): string {
  const text = unwrapAnswer(answer.replaceAll('\r\n', '\n').trim(), original);
  if (text === '') throw new PolishFailure('The model answered without a text.');
  if (text.includes(boundary) || quotes(text, request.instructions, original)) {
    throw new PolishFailure('The model repeated its instructions.');
  }
  // eslint-disable-next-line no-control-regex -- this pattern detects control characters
  if (!text.isWellFormed() || /[\u0000-\u0008\u000b-\u001f\u007f]/.test(text)) {
    throw new PolishFailure(`${what} holds characters that are no text.`);
  }
  if (hasAddedCharacters(original, text))
    throw new PolishFailure(`${what} holds invisible characters that were not there.`);
  if (hasAddedRemarks(original, text)) {
    throw new PolishFailure('The model added remarks to the text.');
  }
  return text;
}

/** Sentences of the instructions that are shorter may occur in any text. */
const QUOTE_MIN = 30;

function quotes(text: string, instructions: string, original: string): boolean {
  const plain = (words: string) => words.replaceAll(/\s+/g, ' ').toLowerCase();
  const [has, had] = [plain(text), plain(original)];
  return plain(instructions)
    .split(/(?<=[.:])\s(?:- )?/)
    .some((sentence) => sentence.length >= QUOTE_MIN && has.includes(sentence) && !had.includes(sentence));
}
