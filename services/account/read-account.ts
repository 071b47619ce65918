/** The account as its owner sees it: plan, usage and settings (docs/contract/profiles-and-keys.md#account). */
import { Account, type PlanName } from '../../entities/account.ts';
import type { Context } from '../context.ts';
import { STORAGE_MAX_BYTES } from '../images/limits.ts';
import { nextDayStart, PLANS } from '../plans/plans.ts';
import { readPlanUsage } from '../plans/plan-usage.ts';
import { timestamp } from '../timestamp.ts';

export interface AccountView {
  id: string;
  plan: PlanName;
  hasPaymentMethod: boolean;
  xAnalytics: boolean;
  rewriteDefault: boolean;
  xSpendCapCents: number | null;
  usage: {
    postsToday: number;
    messagesToday: number;
    activeConnections: number;
    xSpendCents: number;
    mediaBytes: number;
    dayEndsAt: string;
  };
  caps: {
    postsPerDay: number | null;
    messagesPerDay: number | null;
    activeConnections: number | null;
    mediaBytes: number;
  };
  createdAt: string;
}

export async function readAccount(context: Context, accountId: string): Promise<AccountView> {
  const now = context.clock.now();
  const em = context.db.em();
  const account = await em.findOne(Account, { id: accountId });
  if (account === null) throw new Error(`account ${accountId} does not exist`);
  const planUsage = await readPlanUsage(context, em, accountId);
  const { activeConnections, postsPerDay } = PLANS[planUsage.plan];
  return {
    id: accountId,
    plan: planUsage.plan,
    hasPaymentMethod: planUsage.hasPaymentMethod,
    xAnalytics: account.xAnalytics,
    rewriteDefault: account.rewriteDefault,
    xSpendCapCents: planUsage.spendCapCents,
    usage: {
      postsToday: planUsage.postsToday,
      messagesToday: planUsage.messagesToday,
      activeConnections: planUsage.activeConnections.length,
      xSpendCents: planUsage.spentCents,
      mediaBytes: account.mediaBytes,
      dayEndsAt: timestamp(nextDayStart(now)),
    },
    caps: {
      postsPerDay,
      messagesPerDay: planUsage.messagesPerDay,
      activeConnections,
      mediaBytes: STORAGE_MAX_BYTES,
    },
    createdAt: timestamp(account.createdAt),
  };
}
