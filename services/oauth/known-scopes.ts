/** Reads the scopes of a request or of a token. */
import { SCOPES, type Scope } from '../keys/scopes.ts';

/** Those that there are, in the order of the table; whatever else stands there is left out. */
export function knownScopes(text: unknown): Scope[] {
  const named = new Set(typeof text === 'string' ? text.split(' ') : []);
  return (Object.keys(SCOPES) as Scope[]).filter((scope) => named.has(scope));
}
