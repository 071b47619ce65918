/** Whether a profile is one of the caller's own. */
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';

/** True for a living profile of the account that the key reaches: any for an unscoped key, its own for a scoped one (D30). */
export async function profileExists(context: Context, caller: Caller, profileId: string): Promise<boolean> {
  if (caller.profileId !== null && caller.profileId !== profileId) return false;
  return (await context.db.em().count(Profile, { id: profileId, accountId: caller.accountId, deletedAt: null })) > 0;
}
