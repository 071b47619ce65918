/**
 * Defines which posts a caller reaches. Every query for posts uses this condition, so the tenant check cannot be
 * skipped.
 */
import type { Caller } from '../keys/caller.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';

/** SQL condition on `posts` and its parameters, numbered from $1. */
export function reachablePosts(caller: Caller): { condition: string; parameters: unknown[] } {
  const conditions = ['account_id = $1'];
  const parameters: unknown[] = [caller.accountId];
  if (caller.profileId !== null) conditions.push(`profile_id = $${parameters.push(caller.profileId)}`);
  if (caller.mode === 'test') conditions.push(`platform_id = $${parameters.push(TEST_PLATFORM)}`);
  return { condition: conditions.join(' and '), parameters };
}
