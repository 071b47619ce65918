/** Lists the account's living profiles, newest first. */
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { type ProfileView, profileView } from './profile-view.ts';

export async function listProfiles(
  context: Context,
  caller: Caller,
  { limit, offset }: { limit: number; offset: number },
): Promise<ProfileView[]> {
  const where = { accountId: caller.accountId, deletedAt: null };
  const profiles = await context.db.em().find(Profile, where, { orderBy: { id: 'desc' }, limit, offset });
  return profiles.map(profileView);
}
