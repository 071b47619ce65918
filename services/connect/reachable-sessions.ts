/** Defines which connect sessions a caller reaches. Every query for sessions on behalf of a caller uses this filter. */
import type { FilterQuery } from '@mikro-orm/core';
import type { ConnectSession } from '../../entities/connect-session.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';

/** A scoped key reaches the sessions of its profile; a test key reaches those that test keys created. */
export function reachableSessions(caller: Caller): FilterQuery<ConnectSession> {
  return {
    accountId: caller.accountId,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { mode: 'test' as const } : {}),
  };
}

/** The error for the id of a session that the caller does not reach. */
export function noSession(id: string): ServiceError {
  return new ServiceError('not_found', `No connect session of yours has the id ${id}.`);
}
