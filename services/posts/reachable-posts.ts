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
 * The same as {@link reach} for SQL: {@link OF_ACCOUNT} and these equalities, with the parameters of both. The account is a list of one,
 * because lists are ordered by it (docs/decisions/0126-order-lists-by-their-owner-too.md).
 */
export function reachablePosts(caller: Caller): { equal: Equal[]; parameters: unknown[] } {
  const values = Object.entries(reachInAccount(caller));
  const equal = values.map(([column], index) => ({ column, value: `$${index + 2}` }));
  return { equal, parameters: [[caller.accountId], ...values.map(([, value]) => value)] };
}

/** A column of `posts`, and the placeholder of the value that it must have. */
export interface Equal {
  readonly column: string;
  readonly value: string;
}

export function equality({ column, value }: Equal): string {
  return `${column} = ${value}`;
}

/** SQL: whether a row belongs to the account of {@link reachablePosts}. */
export const OF_ACCOUNT = 'account_id = any($1::uuid[])';
