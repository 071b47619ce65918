/** Lists the account's existing profiles, newest first. */
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { pageOf, refuseCursorWithOffset } from '../paging.ts';
import { type ProfileView, profileView } from './profile-view.ts';

export interface ProfileFilter {
  /** The id that the caller gave to a profile. */
  readonly externalId?: string | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** From 0. */
  readonly offset: number;
  /** Id of a profile: the page starts with the profiles older than it. */
  readonly cursor?: string | undefined;
}

/** @throws ServiceError invalid_request for a cursor with an offset */
export async function listProfiles(
  context: Context,
  caller: Caller,
  filter: ProfileFilter,
): Promise<{ profiles: ProfileView[]; nextCursor: string | null }> {
  const { externalId, limit, offset, cursor } = filter;
  refuseCursorWithOffset(filter);
  const where = {
    accountId: caller.accountId,
    deletedAt: null,
    ...(externalId === undefined ? {} : { externalId }),
    ...(cursor === undefined ? {} : { id: { $lt: cursor } }),
  };
  const rows = await context.db.em().find(Profile, where, { orderBy: { id: 'desc' }, limit: limit + 1, offset });
  const { items, nextCursor } = pageOf(rows, limit);
  return { profiles: items.map(profileView), nextCursor };
}
