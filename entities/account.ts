/** The tenant: everything else belongs to one account. */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';

/** What an account may use; the limits of each stand in services/plans/plans.ts (docs/contract/errors-and-limits.md#plans). */
export const PLAN_NAMES = ['free', 'pro', 'unlimited'] as const;
export type PlanName = (typeof PLAN_NAMES)[number];

export const Account = defineEntity({
  name: 'Account',
  tableName: 'accounts',
  properties: {
    id: id(),
    /** Bytes of all its images that are kept or being stored; only ever changed together with their rows. */
    mediaBytes: p.integer().default(0),
    plan: p.enum(PLAN_NAMES).default('unlimited'),
    /** Whether fees can be collected; set by the operator. */
    hasPaymentMethod: p.boolean().default(false),
    /** Most that fees may come to in a UTC month, in cents; null for no cap. */
    xSpendCapCents: p.integer().nullable(),
    /** Whether numbers whose reading is charged are read. */
    xAnalytics: p.boolean().default(false),
    /** Whether AI polish is asked for where neither the post nor its connection says. */
    rewriteDefault: p.boolean().default(false),
    /** Whether `messagesPerDay` is the cap of this account; otherwise MESSAGES_PER_DAY is. */
    hasOwnMessageCap: p.boolean().default(false),
    /** Most messages in a UTC day; null for no cap. */
    messagesPerDay: p.integer().nullable(),
    createdAt: instant(),
  },
});
export type Account = InferEntity<typeof Account>;
