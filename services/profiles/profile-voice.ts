/**
 * The brand voice of a profile: rules, examples and banned phrases for AI polish
 * (docs/contract/profiles-and-keys.md#brand-voice).
 */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { type ProfileVoice, Profile } from '../../entities/profile.ts';
import type { Caller } from '../access/caller.ts';
import { noProfile } from '../access/profile-exists.ts';
import type { Context } from '../context.ts';
import { findReachableProfile } from './get-profile.ts';
import { requireTestReach } from './require-test-reach.ts';

/** Limits of each list, and of the characters of its items. */
export const VOICE_LIMITS = {
  rules: { items: 10, characters: 200 },
  examples: { items: 5, characters: 500 },
  bannedPhrases: { items: 20, characters: 60 },
} as const;

/** @throws ServiceError not_found, forbidden like reading the profile itself */
export async function getVoice(context: Context, caller: Caller, profileId: string): Promise<ProfileVoice> {
  return voiceView((await findReachableProfile(context, caller, profileId)).voice ?? null);
}

/**
 * Replaces the whole voice; three empty lists remove it.
 *
 * @throws ServiceError not_found; forbidden for a test key when the profile holds what it does not reach
 */
export async function setVoice(
  context: Context,
  caller: Caller,
  profileId: string,
  voice: ProfileVoice,
): Promise<ProfileVoice> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const where = { id: profileId, accountId: caller.accountId, deletedAt: null };
    const profile = await em.findOne(Profile, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (profile === null) throw noProfile(profileId);
    // The voice words live posts too.
    await requireTestReach(context, em, caller, profile, 'set its voice');
    const isEmpty = Object.values(voice).every((list: readonly string[]) => list.length === 0);
    profile.voice = isEmpty ? null : voiceView(voice);
    await em.flush();
    return voiceView(profile.voice);
  });
}

/** Three lists, also for a profile without a voice. */
export function voiceView(voice: ProfileVoice | null): ProfileVoice {
  const { rules = [], examples = [], bannedPhrases = [] } = voice ?? {};
  return { rules, examples, bannedPhrases };
}
