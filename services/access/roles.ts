/**
 * The roles of people in an account, and what each may do: viewers read, editors post, owners do the rest
 * (docs/contract/agents.md#roles).
 */
import type { Role } from '../../entities/owner.ts';
import { SCOPES, type Scope } from './scopes.ts';

export type { Role } from '../../entities/owner.ts';

const READS = (Object.keys(SCOPES) as Scope[]).filter((scope) => scope.endsWith(':read'));

/** The scopes of each role; null for all of them, and for the operations that no scope allows. */
export const ROLE_SCOPES: Readonly<Record<Role, ReadonlySet<Scope> | null>> = {
  owner: null,
  editor: new Set<Scope>([...READS, 'posts:write']),
  viewer: new Set<Scope>(READS),
};

/** What a person of each role can do, in a sentence. */
export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Owners can do everything, and manage people and keys.',
  editor: 'Editors see everything, and write, schedule and delete posts.',
  viewer: 'Viewers see everything, and change nothing.',
};

/** Those of the scopes that a role has. */
export function scopesWithinRole(scopes: Iterable<Scope>, role: Role): Scope[] {
  const allowed = ROLE_SCOPES[role];
  return [...scopes].filter((scope) => allowed === null || allowed.has(scope));
}
