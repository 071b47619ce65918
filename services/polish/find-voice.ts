/** Finds the brand voice that a rewrite follows: that of the profile of the connection. */
import { type ProfileVoice } from '../../entities/profile.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';

/** @returns null without a profile, and for a profile without a voice */
export async function findVoice(
  context: Context,
  accountId: string,
  profileId: string | null,
): Promise<ProfileVoice | null> {
  if (profileId === null) return null;
  const row = await tables(context.db.queries)
    .selectFrom('profiles')
    .select('voice')
    .where('account_id', '=', accountId)
    .where('id', '=', profileId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row?.voice ?? null;
}
