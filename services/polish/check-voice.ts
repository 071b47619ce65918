/** Checks an answer of a model against the brand voice of the profile: banned phrases, and no leak of the voice. Pure. */
import type { ProfileVoice } from '../../entities/profile.ts';
import { phrasesIn, plainWords } from '../words/phrases.ts';
import { PolishFailure } from '../ports/polisher.ts';

/** A shorter rule or example may well be what the text says anyway. */
const LEAK_MIN = 20;

/** @throws PolishFailure with the number of the phrase, or saying that the answer quotes the voice */
export function checkVoice(voice: ProfileVoice, original: string, answer: string): void {
  const [had, has] = [plainWords(original), plainWords(answer)];
  const [found] = phrasesIn([answer], voice.bannedPhrases);
  const banned = found === undefined ? -1 : voice.bannedPhrases.indexOf(found);
  // By its number: reasons are logged, and the log holds no text of an account.
  if (banned !== -1) throw new PolishFailure(`The rewrite uses banned phrase ${banned + 1} of the brand voice.`);
  for (const entry of [...voice.rules, ...voice.examples]) {
    const words = plainWords(entry);
    if (words.length >= LEAK_MIN && has.includes(words) && !had.includes(words)) {
      throw new PolishFailure('The rewrite repeats the brand voice instead of following it.');
    }
  }
}
