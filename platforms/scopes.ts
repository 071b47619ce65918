/** The scopes that a customer granted to an app. */
import { stringField } from './http.ts';

/** A stored credential that records its scopes; a credential from a caller does not. */
export interface ScopedCredential {
  readonly grantedScopes?: readonly string[];
}

/**
 * @param said the response of a token endpoint; without scopes, it grants those that were requested (RFC 6749,
 * 5.1)
 * @param asked scope names, separated by spaces or commas
 */
export function grantedScopes(said: unknown, asked: string): string[] {
  return (stringField(said, 'scope') ?? asked).split(/[\s,]+/).filter((name) => name !== '');
}

/** Whether a credential covers this scope, as far as is known. */
export function covers({ grantedScopes: granted }: ScopedCredential, scope: string): boolean {
  return granted === undefined || granted.includes(scope);
}
