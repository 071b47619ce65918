/** Finds words and phrases in a text, also when they are written to be overlooked. Pure. */

/** Scripts that put no space between words, so that a phrase has no boundary to look for. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** The same for a reader: one width, one case, single spaces, nothing invisible, straight apostrophes. */
export function plainWords(text: string): string {
  return text
    .normalize('NFKC')
    .replaceAll(/[\p{Cf}\ufe00-\ufe0f]/gu, '')
    .replaceAll(/[\u2018\u2019\u02bc]/gu, "'")
    .replaceAll(/\s+/gu, ' ')
    .trim()
    .toLowerCase();
}

/** Those of the phrases that any of the texts contains as whole words: "cat" is not in "education". */
export function phrasesIn(texts: readonly string[], phrases: readonly string[]): string[] {
  if (phrases.length === 0) return [];
  const plain = texts.map(plainWords);
  return phrases.filter((phrase) => {
    const pattern = patternOf(plainWords(phrase));
    return plain.some((text) => pattern.test(text));
  });
}

// Marks and underscores are boundaries: with one of them a word would otherwise be overlooked.
function patternOf(phrase: string): RegExp {
  const characters = [...phrase];
  const before = isPartOfWord(characters.at(0)) ? String.raw`(?<![\p{L}\p{N}])` : '';
  const after = isPartOfWord(characters.at(-1)) ? String.raw`(?![\p{L}\p{N}])` : '';
  return new RegExp(`${before}${RegExp.escape(phrase)}${after}`, 'u');
}

function isPartOfWord(character = ''): boolean {
  return /[\p{L}\p{M}\p{N}]/u.test(character) && !UNSPACED.test(character);
}
