/** An owner or the operator revokes a key of the account, or of one of its profiles (docs/contract/profiles-and-keys.md#account-keys). */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import type { KeyChange } from './create-account-key.ts';
import { type Revocation, revokeWhere } from './revoke-key.ts';

/** The revocation and its entry in the audit are written together. @throws ServiceError not_found, last_account_key */
export async function revokeAccountKey(
  context: Context,
  accountId: string,
  revocation: Revocation,
  change: KeyChange,
): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await revokeWhere(em, context, { accountId }, revocation);
    await recordChange(context, change({ type: 'key', ids: [revocation.keyId] }), em);
  });
}
