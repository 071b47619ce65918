/** Lists the active keys of an account that belong to no profile, oldest first. */
import { ApiKey } from '../../entities/api-key.ts';
import type { Context } from '../context.ts';
import { ACCOUNT_KEYS_MAX } from './create-account-key.ts';
import { type KeyView, keyView } from './key-view.ts';

/** @returns at most {@link ACCOUNT_KEYS_MAX} of each type, which is the maximum that can exist */
export async function listAccountKeys(context: Context, accountId: string): Promise<KeyView[]> {
  const where = { accountId, profileId: null, revokedAt: null };
  const keys = await context.db.em().find(ApiKey, where, { orderBy: { id: 'asc' }, limit: 2 * ACCOUNT_KEYS_MAX });
  return keys.map(keyView);
}
