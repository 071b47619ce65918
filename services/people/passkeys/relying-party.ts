/** The relying party of passkeys: this install, by its host name. */
import { isIP } from 'node:net';
import type { Context } from '../../context.ts';

export interface RelyingParty {
  readonly rpID: string;
  readonly origin: string;
}

/**
 * Ed25519, ES256 and RS256, which devices support. Without a list, the package tries algorithms that Node.js marks as
 * experimental.
 */
export const ALGORITHMS = [-8, -7, -257];

/**
 * Null when browsers support no passkeys: under an address without a name, or over plain http to another machine (Web
 * Authentication, 5.1.3).
 */
export function relyingParty({ config }: Context): RelyingParty | null {
  const { hostname, protocol, origin } = new URL(config.publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  const isSafe = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isSafe ? { rpID: hostname, origin } : null;
}
