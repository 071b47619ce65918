/** What to answer when the unique indexes refuse a change of a connection: they alone decide, also between two requests. */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import { ServiceError } from '../../errors/service-error.ts';

/** The change that was tried: where the connection would sit, under which slug. */
interface Wanted {
  readonly profileId: string | null;
  readonly slug: string;
  readonly platformId: string;
  readonly handle: string;
}

/** The refusal that an error of the database stands for; the error itself when it is another one. */
export function connectionConflict(error: unknown, { profileId, slug, platformId, handle }: Wanted): unknown {
  if (!(error instanceof UniqueConstraintViolationException)) return error;
  const holder = profileId === null ? 'Your own accounts already hold' : `The profile ${profileId} already holds`;
  const message = error.message.includes('connections_slug_unique')
    ? `${holder} a connection with the slug "${slug}"; give one of the two another slug.`
    : `${holder} the ${platformId} account ${handle}; use that connection, or delete it first.`;
  return new ServiceError('connection_conflict', message, { cause: error });
}
