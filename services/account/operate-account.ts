/** The operator changes an account: its settings and the entry of the audit are written together. */
import { OPERATOR_ACTOR } from '../audit/operator-actor.ts';
import { recordChange } from '../audit/record-change.ts';
import type { Context } from '../context.ts';
import { type AccountView, readAccount } from './read-account.ts';
import { type OperatorSettings, storeSettings } from './update-account.ts';

/** @throws ServiceError not_found */
export async function operateAccount(
  context: Context,
  accountId: string,
  changes: OperatorSettings,
  requestId: string,
): Promise<AccountView> {
  await context.db.em().transactional(async (em) => {
    await storeSettings(em, accountId, changes);
    const change = {
      accountId,
      actor: OPERATOR_ACTOR,
      surface: 'operator',
      operation: 'account.operate',
      object: { type: 'account', ids: [accountId] },
      outcome: 'ok',
      mode: 'live',
      profileId: null,
      requestId,
    } as const;
    await recordChange(context, change, em);
  });
  return readAccount(context, accountId);
}
