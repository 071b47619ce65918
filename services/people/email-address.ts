/** The address of an owner: kept in lowercase, because nobody means two people by two spellings. */
export const EMAIL_MAX_LENGTH = 254;

/** @returns null for what is none */
export function emailAddress(typed: string): string | null {
  const address = typed.trim().toLowerCase();
  const isOne = /^[^\s@<>"\p{Cc}]+@[^\s@<>"\p{Cc}]+$/u.test(address) && address.length <= EMAIL_MAX_LENGTH;
  return isOne ? address : null;
}
