/** What a password must be. No rule asks for digits or signs: length is what counts (NIST SP 800-63B, 5.1.1.2). */

/** Characters as people count them. */
export const PASSWORD_MIN_LENGTH = 12;

/** Bytes, so that nobody has the server hash a book. */
export const PASSWORD_MAX_BYTES = 1_024;

/** @returns what is wrong with it, as the rest of a sentence; null for nothing */
export function passwordProblem(password: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_MIN_LENGTH)
    return `must have at least ${PASSWORD_MIN_LENGTH} characters; this one has ${length}`;
  const bytes = Buffer.byteLength(password);
  return bytes > PASSWORD_MAX_BYTES ? `must have at most ${PASSWORD_MAX_BYTES} bytes; this one has ${bytes}` : null;
}
