/**
 * Defines which keys a caller manages. Every query for keys uses this filter, so the tenant check cannot be skipped.
 */
import type { FilterQuery } from '@mikro-orm/core';
import type { ApiKey } from '../../entities/api-key.ts';
import type { Caller } from '../access/caller.ts';

/** Keys of the caller's account; for a test key, only the test keys among them. */
export function reachableKeys(caller: Caller): FilterQuery<ApiKey> {
  return {
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { type: 'test' } : {}),
  };
}
