/** Whom passkeys are made for: this install, by the name it has for people. */
import { isIP } from 'node:net';
import type { Context } from '../../context.ts';

export interface RelyingParty {
  readonly rpID: string;
  readonly origin: string;
}

/** Ed25519, ES256 and RS256: what devices know. Left to choose, the package tries out what Node.js calls experimental. */
export const ALGORITHMS = [-8, -7, -257];

/** Null where browsers make none: under an address without a name, or over plain http to another machine (Web Authentication, 5.1.3). */
export function relyingParty({ config }: Context): RelyingParty | null {
  const { hostname, protocol, origin } = new URL(config.publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
  const isSafe = protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost');
  return isSafe ? { rpID: hostname, origin } : null;
}
