/** The one place that says which keys a caller manages: the tenant check is part of every query made from it. */
import type { FilterQuery } from '@mikro-orm/core';
import type { ApiKey } from '../../entities/api-key.ts';
import type { Caller } from './caller.ts';

/** Keys of the caller's account; for a test key the test keys among them. */
export function reachableKeys(caller: Caller): FilterQuery<ApiKey> {
  return {
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { type: 'test' } : {}),
  };
}
