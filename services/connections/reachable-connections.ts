/** The one place that says which connections a caller reaches: the tenant check is part of every query made from it. */
import type { FilterQuery } from '@mikro-orm/core';
import type { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Caller } from '../keys/caller.ts';

/** Living connections of the caller's account, profile and mode. */
export function reachableConnections(caller: Caller): FilterQuery<Connection> {
  return {
    accountId: caller.accountId,
    deletedAt: null,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { platformId: TEST_PLATFORM } : {}),
  };
}

/** What to answer when a connection that was named is none of these. */
export function noConnection(connectionId: string): ServiceError {
  return new ServiceError('not_found', `No connection of yours has the id ${connectionId}.`);
}
