/**
 * Defines which posts a caller reaches. Every query for posts uses this condition, so the tenant check cannot be
 * skipped.
 */
import type { Tables } from '../../entities/tables.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';

/** The values that columns of `posts` have in every post that the caller reaches. */
export function reach(caller: Caller): Partial<Pick<Tables['posts'], 'account_id' | 'profile_id' | 'platform_id'>> {
  return { account_id: caller.accountId, ...reachInAccount(caller) };
}

/** The same without the account. */
export function reachInAccount(caller: Caller): Partial<Pick<Tables['posts'], 'profile_id' | 'platform_id'>> {
  return {
    ...(caller.profileId !== null && { profile_id: caller.profileId }),
    ...(caller.mode === 'test' && { platform_id: TEST_PLATFORM }),
  };
}

/** The account whose posts the caller reaches, if it reaches all of them. */
export function wholeAccount(caller: Caller): string | null {
  return Object.keys(reachInAccount(caller)).length === 0 ? caller.accountId : null;
}

/**
 * The same as {@link reach} as an SQL condition on `posts` with its parameters, numbered from $1. The account is a list of one, because
 * lists are ordered by it (docs/decisions/0126-order-lists-by-their-owner-too.md).
 */
export function reachablePosts(caller: Caller): { condition: string; parameters: unknown[] } {
  const values = Object.entries(reachInAccount(caller));
  return {
    condition: [OF_ACCOUNT, ...values.map(([name], index) => `${name} = $${index + 2}`)].join(' and '),
    parameters: [[caller.accountId], ...values.map(([, value]) => value)],
  };
}

/** SQL: whether a row belongs to the account of {@link reachablePosts}. */
export const OF_ACCOUNT = 'account_id = any($1::uuid[])';
