/**
 * Keeps the policies of an account from changing until the transaction ends: which one a key follows depends on those of the keys above
 * it, and a new grant takes its rules from those of its client.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { takeKeyedLock } from '../../entities/advisory-locks.ts';

/** Call it before rows are locked: no transaction that holds rows waits for this lock. */
export function holdPolicies(em: SqlEntityManager, { accountId }: { readonly accountId: string }): Promise<void> {
  return takeKeyedLock(em, 'policies', accountId);
}
