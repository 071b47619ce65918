/** The scope check that all entry points share. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Limits } from './limits.ts';
import type { Scope } from './scopes.ts';

/**
 * Rejects a caller whose scopes do not include the needed one.
 *
 * @param needed null when no scope is sufficient, because limited callers cannot use the operation
 * @throws ServiceError forbidden
 */
export function requireScope({ scopes }: Pick<Limits, 'scopes'>, needed: Scope | null): void {
  if (scopes === null || (needed !== null && scopes.has(needed))) return;
  throw new ServiceError(
    'forbidden',
    needed === null
      ? 'This operation needs an API key without limits; no access token and no key with scopes reaches it.'
      : `This key or access token was not given ${needed}. Use one that was, or ask the owner to allow it.`,
  );
}
