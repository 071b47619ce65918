/**
 * Signs short texts with HMAC-SHA256, under keys derived from those that encrypt credentials. All processes of an
 * install therefore agree without another setting, and signatures stay valid while keys rotate. Each purpose has a
 * separate key, so a signature for one purpose is invalid for another.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { Signer, SigningPurpose } from '../ports/signer.ts';

/**
 * Purposes of signatures, each with the label that its key is derived with. A label never changes and is never reused.
 */
export const SIGNING_LABELS = {
  imageAddress: 'carillon signed addresses v1',
  signInCookie: 'carillon sign-in cookie v1',
  signInForm: 'carillon form of a sign-in v1',
  visitCookie: 'carillon visit cookie v1',
  visitForm: 'carillon form of a visit v1',
  signInWait: 'carillon sign-in wait v1',
  passkeyChallenge: 'carillon passkey challenge v1',
  oauthCookie: 'carillon oauth cookie v1',
  mcpNoteKey: 'carillon mcp note key v1',
  refreshToken: 'carillon refresh token successor v1',
  identity: 'carillon identity of an install v1',
} as const satisfies Record<SigningPurpose, string>;

export const SIGNING_PURPOSES = Object.keys(SIGNING_LABELS) as SigningPurpose[];

/** @param keys 32 bytes each; the first one signs */
export function createSigner(keys: readonly Buffer[]): Signer {
  const derived = Object.fromEntries(
    SIGNING_PURPOSES.map((purpose) => [purpose, keys.map((key) => derive(key, SIGNING_LABELS[purpose]))]),
  ) as Record<SigningPurpose, Buffer[]>;
  const mark = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  return {
    sign: (purpose, text) => {
      const [first] = derived[purpose];
      if (first === undefined) throw new Error('a signer needs at least one key');
      return mark(first, text).toString('base64url');
    },
    isSigned: (purpose, text, signature) => {
      const given = Buffer.from(signature, 'base64url');
      // Tries every key, so that the time does not reveal which one matches.
      return derived[purpose].map((key) => equal(mark(key, text), given)).includes(true);
    },
  };
}

function derive(key: Buffer, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', label, 32));
}

function equal(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}
