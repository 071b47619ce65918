/** Parses little text by LinkedIn's grammar, limited to literal text and hashtags. */

const RESERVED = /[|{}@[\]()<>*_~]/u;
const WORD = /[\p{L}\p{N}]/u;

/** @returns the visible text; null for an invalid text: a reserved character that is not escaped */
export function readLittleText(little: string): string | null {
  let text = '';
  const characters = [...little];
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] as string;
    const next = characters[index + 1];
    if (character === '\\') {
      if (next === undefined || !/[\\|{}@[\]()<>#*_~]/u.test(next)) return null;
      text += next;
      index += 1;
      continue;
    }
    if (RESERVED.test(character)) return null;
    if (character === '#' && (next === undefined || !WORD.test(next))) return null;
    text += character;
  }
  return text;
}
