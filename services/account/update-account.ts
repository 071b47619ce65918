/**
 * Changes settings of an account: the owner's and the operator's (docs/contract/errors-and-limits.md#plans,
 * docs/contract/profiles-and-keys.md#account).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { PlanName } from '../../entities/account.ts';
import { query } from '../../entities/query.ts';
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

const COLUMNS = {
  plan: 'plan',
  hasPaymentMethod: 'has_payment_method',
  xSpendCapCents: 'x_spend_cap_cents',
  xAnalytics: 'x_analytics',
  rewriteDefault: 'rewrite_default',
} as const;

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
  const parameters: unknown[] = [accountId];
  const assignments = Object.entries(COLUMNS).flatMap(([field, column]) => {
    const value = changes[field as keyof typeof COLUMNS];
    return value === undefined ? [] : [`${column} = $${parameters.push(value)}`];
  });
  const { messagesPerDay } = changes;
  if (messagesPerDay !== undefined) {
    const isOwn = messagesPerDay !== 'default';
    assignments.push(`has_own_message_cap = $${parameters.push(isOwn)}`);
    assignments.push(`messages_per_day = $${parameters.push(isOwn ? messagesPerDay : null)}`);
  }
  if (assignments.length === 0) return;
  const sql = `update accounts set ${assignments.join(', ')} where id = $1 returning id`;
  if ((await query(em, sql, parameters)).length === 0) {
    throw new ServiceError('not_found', `There is no account with the id ${accountId}.`);
  }
}
