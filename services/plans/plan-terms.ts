/**
 * The terms that decide whether posts of an account need admission: its plan, and its cap on messages
 * (docs/contract/errors-and-limits.md#plans, docs/contract/errors-and-limits.md#messages).
 */
import type { PlanName } from '../../entities/account.ts';
import { columns } from '../../entities/column-lists.ts';
import type { Tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';

export interface PlanTerms {
  readonly plan: PlanName;
  /** Maximum number of messages in a UTC day; null for no cap. */
  readonly messagesPerDay: number | null;
}

/** Columns of `accounts a`. */
export const PLAN_TERMS = columns('accounts', ['plan', 'has_own_message_cap', 'messages_per_day'], 'a');

export type PlanTermsRow = Readonly<Pick<Tables['accounts'], 'plan' | 'has_own_message_cap' | 'messages_per_day'>>;

/** The effective terms: an account without its own cap has that of the install. */
export function planTerms({ config }: Context, row: PlanTermsRow): PlanTerms {
  return { plan: row.plan, messagesPerDay: row.has_own_message_cap ? row.messages_per_day : config.messagesPerDay };
}
