/** What a customer has allowed an app to do. */
import { stringField } from './http.ts';

/** A stored login that says what it covers; one that a caller brought does not. */
export interface ScopedLogin {
  readonly grantedScopes?: readonly string[];
}

/**
 * @param said the answer of a token endpoint; one that names no scopes grants those that were asked for (RFC 6749, 5.1)
 * @param asked names with spaces or commas between them
 */
export function grantedScopes(said: unknown, asked: string): string[] {
  return (stringField(said, 'scope') ?? asked).split(/[\s,]+/).filter((name) => name !== '');
}

/** Whether a login covers what takes this scope, as far as is known. */
export function covers({ grantedScopes: granted }: ScopedLogin, scope: string): boolean {
  return granted === undefined || granted.includes(scope);
}
