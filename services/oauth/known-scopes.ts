/** Parses the scopes of a request or a token. */
import { SCOPES, type Scope } from '../access/scopes.ts';

/** Returns the known scopes in the order of the table, and ignores the others. */
export function knownScopes(text: unknown): Scope[] {
  const named = new Set(typeof text === 'string' ? text.split(' ') : []);
  return (Object.keys(SCOPES) as Scope[]).filter((scope) => named.has(scope));
}
