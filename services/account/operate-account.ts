/** Changes an account for the operator: its settings and the audit entry are written together. */
import { operatorChange } from '../audit/operator-change.ts';
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
    const object = { type: 'account', ids: [accountId] };
    await recordChange(context, operatorChange({ accountId, operation: 'account.operate', object, requestId }), em);
  });
  return readAccount(context, accountId);
}
