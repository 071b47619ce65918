/** The tenant: every other entity belongs to one account. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

/** Plans of accounts; services/plans/plans.ts defines their limits (docs/contract/errors-and-limits.md#plans). */
export const PLAN_NAMES = ['free', 'pro', 'unlimited'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: id(),
    /** Total bytes of the account's images that are stored or being stored; always changed together with their rows. */
    mediaBytes: p.integer().default(0),
    plan: p.enum(PLAN_NAMES).default('unlimited'),
    /** Whether fees can be collected; set by the operator. */
    hasPaymentMethod: p.boolean().default(false),
    /** Most fees in a UTC month, in cents; null for no cap. */
    xSpendCapCents: p.integer().strictNullable(),
    /** Whether charged reads of metrics are made. */
    xAnalytics: p.boolean().default(false),
    /** Default for AI polish when neither the post nor its connection sets it. */
    rewriteDefault: p.boolean().default(false),
    /** Whether `messagesPerDay` is the cap of this account; otherwise MESSAGES_PER_DAY is. */
    hasOwnMessageCap: p.boolean().default(false),
    /** Most messages in a UTC day; null for no cap. */
    messagesPerDay: p.integer().strictNullable(),
    /** When owners were last mailed about posts that wait for approval. */
    approvalsMailedAt: instant().strictNullable(),
    createdAt: instant(),
  },
});
export type Account = InferEntity<typeof Account>;
