/** Checks whether a profile belongs to the caller. */
import { Profile } from '../../entities/profile.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from './caller.ts';

/**
 * True for an existing profile of the account that the key reaches: any for an unscoped key, its own for a scoped one
 * (docs/contract/profiles-and-keys.md#scoped-keys).
 */
export async function profileExists(context: Context, caller: Caller, profileId: string): Promise<boolean> {
  if (caller.profileId !== null && caller.profileId !== profileId) return false;
  return (await context.db.em().count(Profile, { id: profileId, accountId: caller.accountId, deletedAt: null })) > 0;
}

/**
 * Checks the profile by which a list is filtered.
 *
 * @throws ServiceError invalid_request when it is not a profile that the caller reaches
 *   (docs/contract/connections.md#slugs-without-a-profile)
 */
export async function requireProfileFilter(
  context: Context,
  caller: Caller,
  profileId: string | undefined,
): Promise<void> {
  if (profileId === undefined || (await profileExists(context, caller, profileId))) return;
  throw new ServiceError('invalid_request', `profileId: no profile of yours has the id ${profileId}.`);
}

/** The error for a profile id that does not belong to the caller. */
export function noProfile(profileId: string): ServiceError {
  return new ServiceError('not_found', `No profile of yours has the id ${profileId}.`);
}
