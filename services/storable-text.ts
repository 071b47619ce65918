/** Makes text from outside storable: the database rejects a row with NUL or an unpaired surrogate. */

/** The text without NULs, and with a replacement character for each unpaired surrogate. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '');
}
