/**
 * Defines which posts a caller reaches. Every query for posts uses this condition, so the tenant check cannot be
 * skipped.
 */
import type { Tables } from '../../entities/tables.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';

/** The values that columns of `posts` have in every post that the caller reaches. */
export function reach(caller: Caller): Partial<Pick<Tables['posts'], 'account_id' | 'profile_id' | 'platform_id'>> {
  return {
    account_id: caller.accountId,
    ...(caller.profileId !== null && { profile_id: caller.profileId }),
    ...(caller.mode === 'test' && { platform_id: TEST_PLATFORM }),
  };
}

/** The account whose posts the caller reaches, if it reaches all of them. */
export function wholeAccount(caller: Caller): string | null {
  const { account_id: accountId, ...limits } = reach(caller);
  return Object.keys(limits).length === 0 ? (accountId ?? null) : null;
}

/** The same as {@link reach} as an SQL condition on `posts` with its parameters, numbered from $1. */
export function reachablePosts(caller: Caller): { condition: string; parameters: unknown[] } {
  const values = Object.entries(reach(caller));
  return {
    condition: values.map(([name], index) => `${name} = $${index + 1}`).join(' and '),
    parameters: values.map(([, value]) => value),
  };
}
