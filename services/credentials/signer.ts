/**
 * Signs short texts with HMAC-SHA256, under keys made from those that encrypt logins: so all processes of an install
 * agree without a setting of its own, and what was signed stays good while keys rotate. Each purpose has a key of its
 * own, so that what was signed for one is worth nothing to another.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What is signed, each with the label that its key is derived with. A label never changes and is never used again. */
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
} as const;

export type SigningPurpose = keyof typeof SIGNING_LABELS;

export const SIGNING_PURPOSES = Object.keys(SIGNING_LABELS) as SigningPurpose[];

export interface Signer {
  /** A signature in base64url, good for this purpose alone. */
  sign(purpose: SigningPurpose, text: string): string;
  /** Whether {@link sign} made this signature of this text for this purpose, with any of the keys. Takes the same time wherever they differ. */
  isSigned(purpose: SigningPurpose, text: string, signature: string): boolean;
}

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
      // Every key is tried, so that the time does not tell which one fits.
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
