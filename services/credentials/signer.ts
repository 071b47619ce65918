/**
 * Signs short texts with HMAC-SHA256, under keys made from those that encrypt logins: so all processes of an install
 * agree without a setting of its own, and what was signed stays good while keys rotate.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** A signature in base64url. */
  sign(text: string): string;
  /** Whether {@link sign} made this signature of this text, with any of the keys. Takes the same time wherever they differ. */
  isSigned(text: string, signature: string): boolean;
}

/** Keeps these keys apart from those that encrypt. */
const PURPOSE = 'carillon signed addresses v1';

/** @param keys 32 bytes each; the first one signs */
export function createSigner(keys: readonly Buffer[]): Signer {
  const derived = keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', PURPOSE, 32)));
  const [first] = derived;
  if (first === undefined) throw new Error('a signer needs at least one key');
  const mark = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    sign: (text) => mark(first, text).toString('base64url'),
    isSigned: (text, signature) => {
      const given = Buffer.from(signature, 'base64url');
      // Every key is tried, so that the time does not tell which one fits.
      return derived.map((key) => equal(mark(key, text), given)).includes(true);
    },
  };
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
