/** The error for an externalId that another profile has; the unique index detects the conflict. */
import { ServiceError } from '../../errors/service-error.ts';

export function externalIdConflict(externalId: string | null | undefined, cause: Error): ServiceError {
  const message = `externalId: another profile of yours has "${externalId}" already.`;
  return new ServiceError('profile_external_id_conflict', message, { cause });
}
