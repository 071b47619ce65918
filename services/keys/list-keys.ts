/** Lists keys of the account or of one profile, oldest first. */
import { ApiKey } from '../../entities/api-key.ts';
import type { Context } from '../context.ts';
import { pageOf, refuseCursorWithOffset } from '../paging.ts';
import { noProfile, profileExists } from '../access/profile-exists.ts';
import type { Caller } from '../access/caller.ts';
import { type KeyView, keyView } from './key-view.ts';
import { reachableKeys } from './reachable-keys.ts';

export interface KeyFilter {
  /** Omitted: the keys of the whole account, including those without a profile. */
  readonly profileId?: string | undefined;
  readonly includeRevoked: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Id of a key: the page starts with the keys newer than it. */
  readonly cursor?: string | undefined;
}

/**
 * @throws ServiceError not_found for a profile that is not the caller's, invalid_request for a cursor with an offset
 */
export async function listKeys(
  context: Context,
  caller: Caller,
  filter: KeyFilter,
): Promise<{ keys: KeyView[]; nextCursor: string | null }> {
  const { profileId, includeRevoked, limit, offset, cursor } = filter;
  refuseCursorWithOffset(filter);
  if (profileId !== undefined && !(await profileExists(context, caller, profileId))) throw noProfile(profileId);
  const where = {
    ...Object(reachableKeys(caller)),
    ...(profileId === undefined ? {} : { profileId }),
    ...(includeRevoked ? {} : { revokedAt: null }),
    ...(cursor === undefined ? {} : { id: { $gt: cursor } }),
  };
  const rows = await context.db.em().find(ApiKey, where, { orderBy: { id: 'asc' }, limit: limit + 1, offset });
  const { items, nextCursor } = pageOf(rows, limit);
  return { keys: items.map(keyView), nextCursor };
}
