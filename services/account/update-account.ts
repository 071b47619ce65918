/**
 * Changes settings of an account: the owner's and the operator's (docs/contract/errors-and-limits.md#plans,
 * docs/contract/profiles-and-keys.md#account).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PlanName } from '../../entities/account.ts';
import { tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import { type AccountView, readAccount } from './read-account.ts';

/** Settings that the owner of an account may change. */
export interface OwnSettings {
  readonly xAnalytics?: boolean | undefined;
  readonly rewriteDefault?: boolean | undefined;
  /** Null for no cap. */
  readonly xSpendCapCents?: number | null | undefined;
}

/** Settings that only the operator of the install may change. */
export interface OperatorSettings {
  readonly plan?: PlanName | undefined;
  readonly hasPaymentMethod?: boolean | undefined;
  readonly xSpendCapCents?: number | null | undefined;
  /** Null for no cap; `default` for the cap of the install. */
  readonly messagesPerDay?: number | 'default' | null | undefined;
}

/** @throws ServiceError not_found */
export async function updateAccount(context: Context, accountId: string, changes: OwnSettings): Promise<AccountView> {
  await storeSettings(context.db.em(), accountId, changes);
  return readAccount(context, accountId);
}

/** @throws ServiceError not_found */
export async function storeSettings(
  em: SqlEntityManager,
  accountId: string,
  changes: OwnSettings & OperatorSettings,
): Promise<void> {
  const { messagesPerDay } = changes;
  const columns = {
    plan: changes.plan,
    has_payment_method: changes.hasPaymentMethod,
    x_spend_cap_cents: changes.xSpendCapCents,
    x_analytics: changes.xAnalytics,
    rewrite_default: changes.rewriteDefault,
    has_own_message_cap: messagesPerDay === undefined ? undefined : messagesPerDay !== 'default',
    messages_per_day: messagesPerDay === 'default' ? null : messagesPerDay,
  };
  if (Object.values(columns).every((value) => value === undefined)) return;
  const query = tables(em).updateTable('accounts').set(columns).where('id', '=', accountId).returning('id');
  if ((await query.execute()).length === 0) {
    throw new ServiceError('not_found', `No account has the id ${accountId}.`);
  }
}
