/**
 * Defines which connections a caller reaches. Every query for connections uses this filter, so the tenant check cannot
 * be skipped.
 */
import type { FilterQuery } from '@mikro-orm/core';
import type { Connection } from '../../entities/connection.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { TEST_PLATFORM } from '../../platforms/registry.ts';
import type { Caller } from '../access/caller.ts';

/** Existing connections of the caller's account, profile and mode. */
export function reachableConnections(caller: Caller): FilterQuery<Connection> {
  return {
    accountId: caller.accountId,
    deletedAt: null,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { platformId: TEST_PLATFORM } : {}),
  };
}

/** The error for a connection id that the caller does not reach. */
export function noConnection(connectionId: string): ServiceError {
  return new ServiceError('not_found', `No connection of yours has the id ${connectionId}.`);
}
