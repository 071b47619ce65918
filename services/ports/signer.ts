/** Signs short texts; services/credentials/signer.ts implements it. */

/** What a signature is made for; it is invalid for any other purpose. */
export type SigningPurpose =
  | 'imageAddress'
  | 'signInCookie'
  | 'signInForm'
  | 'visitCookie'
  | 'visitForm'
  | 'signInWait'
  | 'passkeyChallenge'
  | 'oauthCookie'
  | 'mcpNoteKey'
  | 'refreshToken'
  | 'identity';

export interface Signer {
  /** A signature in base64url, valid for this purpose only. */
  sign(purpose: SigningPurpose, text: string): string;
  /**
   * Whether {@link sign} made this signature of this text for this purpose, with any of the keys. Compares in constant
   * time.
   */
  isSigned(purpose: SigningPurpose, text: string, signature: string): boolean;
}
