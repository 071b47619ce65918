/** Lists keys of the account or of one profile, oldest first. */
import { ApiKey } from '../../entities/api-key.ts';
import type { Context } from '../context.ts';
import { noProfile, profileExists } from '../profiles/profile-exists.ts';
import type { Caller } from './caller.ts';
import { type KeyView, keyView } from './key-view.ts';
import { reachableKeys } from './reachable-keys.ts';

export interface KeyFilter {
  /** Left out, the keys of the whole account, those of no profile included. */
  readonly profileId?: string | undefined;
  readonly includeRevoked: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** @throws ServiceError not_found for a profile that is not the caller's. */
export async function listKeys(
  context: Context,
  caller: Caller,
  { profileId, includeRevoked, limit, offset }: KeyFilter,
): Promise<KeyView[]> {
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) throw noProfile(profileId);
  const where = {
    ...Object(reachableKeys(caller)),
    ...(profileId === undefined ? {} : { profileId }),
    ...(includeRevoked ? {} : { revokedAt: null }),
  };
  const keys = await context.db.em().find(ApiKey, where, { orderBy: { id: 'asc' }, limit, offset });
  return keys.map(keyView);
}
