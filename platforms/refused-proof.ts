/** Responses of servers that refuse how a request is signed, and not its token: the same token is accepted with another signature. */

/** Error codes for a DPoP proof (RFC 9449): it is too old, or from the future, or has another nonce than the server wants now. */
const REFUSED_PROOFS: ReadonlySet<string | undefined> = new Set(['invalid_dpop_proof', 'use_dpop_nonce']);

export function isProofRefused(error: string | undefined): boolean {
  return REFUSED_PROOFS.has(error);
}

/** @param name of the server, as users know it */
export function refusedProofMessage(name: string): string {
  return `${name} refuses how this install signs its requests; nothing was posted. The clock of the machine may be wrong.`;
}
