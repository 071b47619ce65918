/** The refusal of an externalId that another profile has; the unique index is what finds it out. */
import { ServiceError } from '../../errors/service-error.ts';

export function externalIdConflict(externalId: string | null | undefined, cause: Error): ServiceError {
  const message = `externalId: another profile of yours has "${externalId}" already.`;
  return new ServiceError('profile_external_id_conflict', message, { cause });
}
