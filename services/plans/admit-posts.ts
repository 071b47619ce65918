/**
 * Decides whether the plan of an account admits posts, and what each costs (docs/contract/errors-and-limits.md#plans,
 * docs/contract/profiles-and-keys.md#test-keys).
 */
import type { ItemError } from '../../errors/item-error.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { type PlanTerms, planTerms, type PlanTermsRow } from './plan-terms.ts';
import { feeOf } from './fees.ts';
import { nextDayStart, PLANS } from './plans.ts';
import { centsOfReadsInProgress } from './reads-in-progress.ts';
import { lockAccount, readPlanUsage, type PlanUsage } from './plan-usage.ts';

/** A post to check against the plan. */
export interface PostIntent {
  readonly connectionId: string;
  readonly connectionSlug: string;
  readonly platformId: string;
  readonly mode: 'live' | 'test';
  readonly text: string;
  /** Whether it is sent now; a waiting post is only checked, and admitted when it is due. */
  readonly sendsNow: boolean;
}

/** The question for a stored post. */
export function storedIntent(
  post: {
    readonly connection_id: string;
    readonly connection_slug: string;
    readonly platform_id: string;
    readonly mode: 'live' | 'test';
    readonly text: string;
  },
  sendsNow: boolean,
): PostIntent {
  return {
    connectionId: post.connection_id,
    connectionSlug: post.connection_slug,
    platformId: post.platform_id,
    mode: post.mode,
    text: post.text,
    sendsNow,
  };
}

/** Why the plan refuses a post; null when it admits it, and then the fee. */
export type Admission = { readonly error: ItemError } | { readonly error: null; readonly feeCents: number };

/** The admission of a post that needs none. */
export const FREE_OF_CHARGE: Admission = { error: null, feeCents: 0 };

/** Whether a post on the platform needs admission; if not, nothing is counted and no lock is taken. */
export function needsAdmission(context: Context, { plan, messagesPerDay }: PlanTerms, platformId: string): boolean {
  const { activeConnections, postsPerDay, fees } = PLANS[plan];
  if (activeConnections !== null || postsPerDay !== null || fees) return true;
  return messagesPerDay !== null && isMessage(context, platformId);
}

/** As {@link needsAdmission}, for a row of a post or a connection. */
export function rowNeedsAdmission(context: Context, row: PlanTermsRow & { readonly platform_id: string }): boolean {
  return needsAdmission(context, planTerms(context, row), row.platform_id);
}

/**
 * Whether a due post waits for the next UTC day, instead of failing, for this error
 * (docs/contract/scheduling.md#late-posts, docs/contract/errors-and-limits.md#messages).
 */
export function waitsForNextDay({ code }: ItemError): boolean {
  return code === 'fair_use_reached' || code === 'limit_exceeded';
}

function isMessage({ platforms }: Context, platformId: string): boolean {
  return platformOf(platforms, platformId).countsAsMessage === true;
}

/**
 * Admits posts of one account in order, counting each one for the next. The account stays locked until the caller's
 * transaction ends; that transaction must store the admitted posts.
 */
export async function admitPosts(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  intents: readonly PostIntent[],
): Promise<Admission[]> {
  await lockAccount(em, accountId);
  return checkAdmissions(context, em, accountId, intents);
}

/** As {@link admitPosts}, without locking the account: for previews. */
export async function checkAdmissions(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  intents: readonly PostIntent[],
  now = context.clock.now(),
): Promise<Admission[]> {
  let planUsage = await usageWithReads(context, em, accountId, now);
  return intents.map((intent) => {
    const admission = admit(context, planUsage, intent, now);
    if (admission.error === null && intent.sendsNow && intent.mode === 'live') {
      planUsage = withPost(context, planUsage, intent, admission.feeCents);
    }
    return admission;
  });
}

/** Reads of metrics in progress are paid from the same cap. */
async function usageWithReads(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  now: Date,
): Promise<PlanUsage> {
  const planUsage = await readPlanUsage(context, em, accountId, now);
  if (planUsage.spendCapCents === null || !planUsage.hasPaymentMethod || !PLANS[planUsage.plan].fees) return planUsage;
  const cents = await centsOfReadsInProgress(context, em, accountId, []);
  return { ...planUsage, spentCents: planUsage.spentCents + cents };
}

function admit(context: Context, planUsage: PlanUsage, intent: PostIntent, now: Date): Admission {
  if (intent.mode === 'test') return FREE_OF_CHARGE;
  const feeCents = PLANS[planUsage.plan].fees ? feeOf(context, intent) : 0;
  const error =
    connectionError(planUsage, intent) ??
    feeError(context, planUsage, intent, feeCents) ??
    fairUseError(planUsage, intent, now) ??
    messageError(context, planUsage, intent, now);
  return error === null ? { error: null, feeCents } : { error };
}

function withPost(
  context: Context,
  planUsage: PlanUsage,
  { connectionId, platformId }: PostIntent,
  feeCents: number,
): PlanUsage {
  const others = planUsage.activeConnections.filter((id) => id !== connectionId);
  return {
    ...planUsage,
    postsToday: planUsage.postsToday + 1,
    messagesToday: planUsage.messagesToday + (isMessage(context, platformId) ? 1 : 0),
    spentCents: planUsage.spentCents + feeCents,
    activeConnections: [connectionId, ...others],
  };
}

function connectionError(planUsage: PlanUsage, intent: PostIntent): ItemError | null {
  const { activeConnections: most } = PLANS[planUsage.plan];
  const { activeConnections: active } = planUsage;
  if (most === null || active.length < most || active.slice(0, most).includes(intent.connectionId)) return null;
  return {
    code: 'connection_limit_exceeded',
    message: `The ${planUsage.plan} plan allows ${most} active connections, and "${intent.connectionSlug}" is not among the ${most} that sent most recently.`,
  };
}

function feeError(context: Context, planUsage: PlanUsage, intent: PostIntent, feeCents: number): ItemError | null {
  if (feeCents === 0) return null;
  const { name } = platformOf(context.platforms, intent.platformId);
  if (!planUsage.hasPaymentMethod) {
    return {
      code: 'payment_method_required',
      message: `A post to ${name} costs ${feeCents} cents, and the account has no payment method.`,
    };
  }
  const { spendCapCents: cap, spentCents: spent } = planUsage;
  if (cap === null || spent + feeCents <= cap) return null;
  return {
    code: 'spend_cap_reached',
    message: `A post to ${name} costs ${feeCents} cents; ${spent} of the ${cap} cents that this month may cost are spent.`,
  };
}

function fairUseError(planUsage: PlanUsage, intent: PostIntent, now: Date): ItemError | null {
  const { postsPerDay: most } = PLANS[planUsage.plan];
  if (most === null || !intent.sendsNow || planUsage.postsToday < most) return null;
  return {
    code: 'fair_use_reached',
    message: `The ${planUsage.plan} plan allows ${most} posts a day, and they are used up until ${nextDayStart(now).toISOString()}.`,
  };
}

function messageError(context: Context, planUsage: PlanUsage, intent: PostIntent, now: Date): ItemError | null {
  const { messagesPerDay: most, messagesToday } = planUsage;
  if (most === null || !intent.sendsNow || messagesToday < most || !isMessage(context, intent.platformId)) return null;
  return {
    code: 'limit_exceeded',
    message: `The account may send ${most} ${most === 1 ? 'message' : 'messages'} a day, SMS and email together, and none is left until ${nextDayStart(now).toISOString()}.`,
  };
}
