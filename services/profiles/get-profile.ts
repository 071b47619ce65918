/** Reads one profile of the caller's. */
import { Profile } from '../../entities/profile.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { noProfile } from '../access/profile-exists.ts';
import { type ProfileView, profileView } from './profile-view.ts';

/** @throws ServiceError not_found, forbidden */
export async function getProfile(context: Context, caller: Caller, profileId: string): Promise<ProfileView> {
  return profileView(await findReachableProfile(context, caller, profileId));
}

/**
 * @throws ServiceError not_found for an unknown, deleted or foreign profile; forbidden when a scoped key names any id
 *   but its own, so that the answer does not reveal which profiles exist
 */
export async function findReachableProfile(context: Context, caller: Caller, profileId: string): Promise<Profile> {
  if (caller.profileId !== null && caller.profileId !== profileId) {
    const message = `This key or access token is limited to the profile ${caller.profileId}. For ${profileId}, use one that reaches the whole account.`;
    throw new ServiceError('forbidden', message);
  }
  const where = { id: profileId, accountId: caller.accountId, deletedAt: null };
  const profile = await context.db.em().findOne(Profile, where);
  if (profile === null) throw noProfile(profileId);
  return profile;
}
