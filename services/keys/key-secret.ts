/** Generates, shows and hashes the secret of an API key (docs/contract/profiles-and-keys.md#keys). */
import type { Random } from '../clock.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const SECRET_LENGTH = 40;
const PREFIX_LENGTH = 14;

/**
 * What follows `crl_live_` or `crl_test_` in every key that is accepted, as a regular expression. The bootstrap keys of the
 * settings may be longer than those that {@link makeSecret} generates.
 */
export const SECRET_LETTERS = '[A-Za-z0-9]{32,200}';

/** Generates a secret: `crl_live_` or `crl_test_` and 40 letters and digits, about 238 bits. */
export function makeSecret(type: 'live' | 'test', random: Random): string {
  let secret = '';
  while (secret.length < SECRET_LENGTH) {
    for (const byte of random.bytes(SECRET_LENGTH)) {
      // 248 is the largest multiple of 62 in a byte: discarding the rest keeps every character equally likely.
      if (byte < 248 && secret.length < SECRET_LENGTH) secret += ALPHABET[byte % ALPHABET.length];
    }
  }
  return `crl_${type}_${secret}`;
}

/** The part of a secret that is shown after its creation. */
export function secretPrefix(secret: string): string {
  return secret.slice(0, PREFIX_LENGTH);
}
