/** The account as its owner sees it: plan, usage and settings (docs/contract/profiles-and-keys.md#account). */
import type { PlanName } from '../../entities/account.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import { STORAGE_MAX_BYTES } from '../media/limits.ts';
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

interface AccountRow {
  x_analytics: boolean;
  rewrite_default: boolean;
  media_bytes: number;
  created_at: string;
}

export async function readAccount(context: Context, accountId: string): Promise<AccountView> {
  const now = context.clock.now();
  const em = context.db.em();
  const sql = 'select x_analytics, rewrite_default, media_bytes, created_at from accounts where id = $1';
  const [row] = await query<AccountRow>(em, sql, [accountId]);
  if (row === undefined) throw new Error(`account ${accountId} is gone`);
  const planUsage = await readPlanUsage(context, em, accountId);
  const { activeConnections, postsPerDay } = PLANS[planUsage.plan];
  return {
    id: accountId,
    plan: planUsage.plan,
    hasPaymentMethod: planUsage.hasPaymentMethod,
    xAnalytics: row.x_analytics,
    rewriteDefault: row.rewrite_default,
    xSpendCapCents: planUsage.spendCapCents,
    usage: {
      postsToday: planUsage.postsToday,
      messagesToday: planUsage.messagesToday,
      activeConnections: planUsage.activeConnections.length,
      xSpendCents: planUsage.spentCents,
      mediaBytes: row.media_bytes,
      dayEndsAt: timestamp(nextDayStart(now)),
    },
    caps: {
      postsPerDay,
      messagesPerDay: planUsage.messagesPerDay,
      activeConnections,
      mediaBytes: STORAGE_MAX_BYTES,
    },
    createdAt: timestamp(row.created_at),
  };
}
