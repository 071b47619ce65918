/** The scope check that all entry points share. */
import { ServiceError } from '../../errors/service-error.ts';
import type { Role } from '../../entities/owner.ts';
import type { Caller } from './caller.ts';
import { scopesWithinRole } from './roles.ts';
import type { Scope } from './scopes.ts';

type WithScopes = Pick<Caller, 'scopes' | 'role' | 'allowedByRole'>;

/**
 * Rejects a caller whose scopes do not include the needed one.
 *
 * @param needed null when no scope is sufficient, because limited callers cannot use the operation
 * @throws ServiceError forbidden
 */
export function requireScope(caller: WithScopes, needed: Scope | null): void {
  const { scopes, role, allowedByRole } = caller;
  if (scopes === null || (needed !== null && scopes.has(needed))) return;
  if (role !== undefined) throw roleRefusal(role, needed);
  if (needed !== null && !mayGet(caller, needed)) {
    throw new ServiceError(
      'forbidden',
      `The role of the person who allowed this agent, ${allowedByRole}, lacks ${needed}. Ask an owner of the account.`,
    );
  }
  throw new ServiceError(
    'forbidden',
    needed === null
      ? 'This operation needs an API key without scopes; an access token cannot call it.'
      : `This key or access token lacks ${needed}. Use one that has it, or ask the owner to grant it.`,
  );
}

/** Whether a caller that lacks a scope could get it: an agent has at most the scopes of the role of the person who allowed it. */
export function mayGet({ allowedByRole }: Pick<Caller, 'allowedByRole'>, scope: Scope): boolean {
  return allowedByRole === undefined || scopesWithinRole([scope], allowedByRole).length > 0;
}

/** The refusal of what the role of a person does not allow. @param needed null for what owners only may do */
export function roleRefusal(role: Role, needed: Scope | null): ServiceError {
  const missing = needed === null ? 'do this: only owners can' : `do this, because it lacks ${needed}`;
  return new ServiceError('forbidden', `Your role, ${role}, cannot ${missing}. Ask an owner of the account.`);
}
