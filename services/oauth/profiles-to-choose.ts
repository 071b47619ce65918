/** Lists the profiles that a person can restrict an agent to: all of the account. */
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';
import { PROFILES_MAX } from '../profiles/create-profile.ts';

export interface ProfileChoice {
  readonly id: string;
  readonly name: string;
}

export async function profilesToChoose(context: Context, accountId: string): Promise<ProfileChoice[]> {
  const where = { accountId, deletedAt: null };
  const orderBy = { name: 'asc', id: 'asc' } as const;
  const found = await context.db.em().find(Profile, where, { orderBy, limit: PROFILES_MAX });
  return found.map(({ id, name }) => ({ id, name }));
}
