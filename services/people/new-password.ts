/** The rules for a password. They require no digits or symbols: length is what matters (NIST SP 800-63B, 5.1.1.2). */

/** In characters as people count them. */
export const PASSWORD_MIN_LENGTH = 12;

/** In bytes; limits the cost of hashing very long input. */
export const PASSWORD_MAX_BYTES = 1_024;

/** @returns the problem, as the rest of a sentence; null for none */
export function passwordProblem(password: string): string | null {
  const length = [...password].length;
  if (length < PASSWORD_MIN_LENGTH)
    return `must have at least ${PASSWORD_MIN_LENGTH} characters; this one has ${length}`;
  const bytes = Buffer.byteLength(password);
  return bytes > PASSWORD_MAX_BYTES ? `must have at most ${PASSWORD_MAX_BYTES} bytes; this one has ${bytes}` : null;
}
