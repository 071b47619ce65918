/** The check of scopes that every surface makes. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Limits } from './limits.ts';
import type { Scope } from './scopes.ts';

/**
 * Refuses a caller whose limits leave the scope out.
 *
 * @param needed null where no scope is enough, because limited callers do not reach the operation
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
