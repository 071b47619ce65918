/** Changes the name or the externalId of a profile. */
import { LockMode, UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { externalIdConflict } from './external-id-conflict.ts';
import { noProfile } from '../access/profile-exists.ts';
import { type ProfileView, profileView } from './profile-view.ts';

export interface ProfileChanges {
  readonly name?: string | undefined;
  /** Null removes it. */
  readonly externalId?: string | null | undefined;
}

/** @throws ServiceError not_found, profile_external_id_conflict */
export async function updateProfile(
  context: Context,
  caller: Caller,
  profileId: string,
  changes: ProfileChanges,
): Promise<ProfileView> {
  try {
    return await context.db.em().transactional(async (em: SqlEntityManager) => {
      const where = { id: profileId, accountId: caller.accountId, deletedAt: null };
      const profile = await em.findOne(Profile, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (profile === null) throw noProfile(profileId);
      // One change of an externalId at a time in an account: two profiles that swap theirs would otherwise deadlock.
      if (changes.externalId !== undefined) await lockAccount(em, caller.accountId);
      if (changes.name !== undefined) profile.name = changes.name;
      if (changes.externalId !== undefined) profile.externalId = changes.externalId;
      await em.flush();
      return profileView(profile);
    });
  } catch (error) {
    throw error instanceof UniqueConstraintViolationException ? externalIdConflict(changes.externalId, error) : error;
  }
}
