/**
 * Maps violations of the unique indexes on connections to errors. Only the indexes detect conflicts, also between two
 * requests.
 */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { ServiceError } from '../../errors/service-error.ts';

/** The attempted change: the connection's place and slug. */
interface Wanted {
  readonly profileId: string | null;
  readonly slug: string;
  readonly platformId: string;
  readonly handle: string;
}

/** The ServiceError for a database error; any other error is returned unchanged. */
export function connectionConflict(error: unknown, { profileId, slug, platformId, handle }: Wanted): unknown {
  if (!(error instanceof UniqueConstraintViolationException)) return error;
  const holder = profileId === null ? 'Your own accounts already hold' : `The profile ${profileId} already holds`;
  const message = error.message.includes('connections_slug_unique')
    ? `${holder} a connection with the slug "${slug}"; give one of the two another slug.`
    : `${holder} the ${platformId} account ${handle}; use that connection, or delete it first.`;
  return new ServiceError('connection_conflict', message, { cause: error });
}
