/**
 * Creates a profile. The account's row is locked while its profiles are counted, so that two requests cannot both take
 * the last place.
 */
import { UniqueConstraintViolationException } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Profile } from '../../entities/profile.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { externalIdConflict } from './external-id-conflict.ts';
import { type ProfileView, profileView } from './profile-view.ts';

/** Maximum number of existing profiles of an account (docs/contract/profiles-and-keys.md#profiles). */
const PROFILES_MAX = 1000;

export interface ProfileInput {
  readonly name: string;
  readonly externalId?: string | undefined;
}

/** @throws ServiceError limit_exceeded, profile_external_id_conflict */
export async function createProfile(context: Context, caller: Caller, input: ProfileInput): Promise<ProfileView> {
  const { accountId } = caller;
  try {
    return await context.db.em().transactional(async (em: SqlEntityManager) => {
      await lockAccount(em, accountId);
      const count = await em.count(Profile, { accountId, deletedAt: null });
      if (count >= PROFILES_MAX) {
        const message = `The account has ${count} profiles; the limit is ${PROFILES_MAX}. Delete one first.`;
        throw new ServiceError('limit_exceeded', message);
      }
      const profile = em.create(Profile, {
        id: context.random.uuid(),
        accountId,
        name: input.name,
        externalId: input.externalId ?? null,
        voice: null,
        createdAt: context.clock.now(),
        deletedAt: null,
      });
      await em.flush();
      return profileView(profile);
    });
  } catch (error) {
    throw error instanceof UniqueConstraintViolationException ? externalIdConflict(input.externalId, error) : error;
  }
}
