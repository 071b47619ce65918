/** Lists the profiles that a person can restrict an agent to: all of the account, which are at most 1,000. */
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';

export interface ProfileChoice {
  readonly id: string;
  readonly name: string;
}

export async function profilesToChoose(context: Context, accountId: string): Promise<ProfileChoice[]> {
  const where = { accountId, deletedAt: null };
  const found = await context.db.em().find(Profile, where, { orderBy: { name: 'asc', id: 'asc' } });
  return found.map(({ id, name }) => ({ id, name }));
}
