/**
 * Normalizes the email address of an owner to lowercase, because addresses that differ only in case belong to the same
 * person.
 */
export const EMAIL_MAX_LENGTH = 254;

/** @returns null when the input is not an address */
export function emailAddress(typed: string): string | null {
  const address = typed.trim().toLowerCase();
  const isOne = /^[^\s@<>"\p{Cc}]+@[^\s@<>"\p{Cc}]+$/u.test(address) && address.length <= EMAIL_MAX_LENGTH;
  return isOne ? address : null;
}
