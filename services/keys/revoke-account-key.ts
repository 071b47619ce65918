/**
 * Revokes a key of the account, or of one of its profiles, for an owner or the operator
 * (docs/contract/profiles-and-keys.md#account-keys).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import type { KeyChange } from './create-account-key.ts';
import { type Revocation, revokeWhere } from './revoke-key.ts';

/**
 * Writes the revocation and its audit entry together.
 *
 * @param hold checks that the caller may still do this, and throws otherwise. It may lock the account, which comes after
 *   keys.
 * @throws ServiceError not_found, last_account_key
 */
export async function revokeAccountKey(
  context: Context,
  accountId: string,
  revocation: Revocation,
  change: KeyChange,
  hold?: (em: SqlEntityManager) => Promise<void>,
): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await revokeWhere(em, context, { accountId }, revocation);
    await hold?.(em);
    await recordChange(context, change({ type: 'key', ids: [revocation.keyId] }), em);
  });
}
