/** Lists the profiles that a person can restrict an agent to. */
import { Profile } from '../../entities/profile.ts';
import type { Context } from '../context.ts';

/** Maximum number of profiles offered; a longer list is unusable, and the API reaches the others. */
const MOST = 500;

export interface ProfileChoice {
  readonly id: string;
  readonly name: string;
}

export async function profilesToChoose(context: Context, accountId: string): Promise<ProfileChoice[]> {
  const where = { accountId, deletedAt: null };
  const found = await context.db.em().find(Profile, where, { orderBy: { name: 'asc', id: 'asc' }, limit: MOST });
  return found.map(({ id, name }) => ({ id, name }));
}
