/**
 * Reads the usage of an account against its plan. It is computed from the posts and the usage ledger, so there is no
 * counter that a crash could leave wrong. Code that admits posts locks the account's row, so that two requests cannot
 * both take the last place.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { PLAN_TERMS, type PlanTerms, planTerms } from './plan-terms.ts';
import { activeSince, dayStart, monthStart } from './plans.ts';

export interface PlanUsage extends PlanTerms {
  readonly accountId: string;
  readonly hasPaymentMethod: boolean;
  /** Maximum fees in a month, in cents; null for no cap. */
  readonly spendCapCents: number | null;
  /** Live posts sent today (UTC), and those in progress. */
  readonly postsToday: number;
  /** Those of them that are messages. */
  readonly messagesToday: number;
  /** Cents of this month (UTC): charged, and of posts in progress. */
  readonly spentCents: number;
  /** Ids of the active connections, the most recently active first. */
  readonly activeConnections: readonly string[];
}

const readUsage = statement('read the usage of an account against its plan', {
  parameters: {
    accountId: 'uuid',
    activeSince: 'timestamptz',
    dayStart: 'timestamptz',
    monthStart: 'timestamptz',
    messaging: 'text[]',
  },
  result: {
    ...PLAN_TERMS.types,
    has_payment_method: 'boolean',
    x_spend_cap_cents: 'int?',
    posts_today: 'int',
    messages_today: 'int',
    spent: 'int',
    active: 'text[]?',
  },
  sql: ({ accountId, activeSince, dayStart, monthStart, messaging }) => `
    with sending as (
      select connection_id, platform_id, fee_cents from posts
      where account_id = ${accountId} and status = 'processing' and mode = 'live'
    ), active as (
      select c.id, s.connection_id is not null as sending, last.sent_at from connections c
      left join (select distinct connection_id from sending) s on s.connection_id = c.id
      left join lateral (
        select p.sent_at from posts p where p.connection_id = c.id and p.mode = 'live' and p.sent_at is not null
        order by p.sent_at desc limit 1) last on true
      where c.account_id = ${accountId} and c.deleted_at is null
        and (last.sent_at > ${activeSince} or s.connection_id is not null)
    )
    select ${PLAN_TERMS.sql}, a.has_payment_method, a.x_spend_cap_cents,
      (select count(*)::int from sending)
        + (select count(*)::int from connections c join posts p on p.connection_id = c.id and p.mode = 'live'
             and p.sent_at >= ${dayStart} where c.account_id = ${accountId}) as posts_today,
      (select count(*)::int from sending where platform_id = any(${messaging}))
        + (select count(*)::int from connections c join posts p on p.connection_id = c.id and p.mode = 'live'
             and p.sent_at >= ${dayStart}
             where c.account_id = ${accountId} and c.platform_id = any(${messaging})) as messages_today,
      (select coalesce(sum(fee_cents), 0)::int from sending)
        + (select coalesce(sum(cents), 0)::int from charges
           where account_id = ${accountId} and at >= ${monthStart}) as spent,
      (select array_agg(id::text order by sending desc, sent_at desc) from active) as active
    from accounts a where a.id = ${accountId}`,
});

const lockRow = statement('lock an account', {
  parameters: { accountId: 'uuid' },
  result: { id: 'uuid' },
  sql: ({ accountId }) => `select id from accounts where id = ${accountId} for no key update`,
});

/** Serializes all decisions under this lock until the transaction ends: admissions, counts, changes of unique names. */
export async function lockAccount(em: SqlEntityManager, accountId: string): Promise<void> {
  await lockRow(em, { accountId });
}

/** Reads the current usage. Do not make decisions on it without {@link lockAccount}. */
export async function readPlanUsage(
  context: Context,
  em: SqlEntityManager,
  accountId: string,
  now = context.clock.now(),
): Promise<PlanUsage> {
  const messaging = Object.values(context.platforms).flatMap(({ id, countsAsMessage }) =>
    countsAsMessage === true ? [id] : [],
  );
  const [row] = await readUsage(em, {
    accountId,
    activeSince: activeSince(now),
    dayStart: dayStart(now),
    monthStart: monthStart(now),
    messaging,
  });
  if (row === undefined) throw new Error(`account ${accountId} is gone`);
  return {
    accountId,
    ...planTerms(context, row),
    hasPaymentMethod: row.has_payment_method,
    spendCapCents: row.x_spend_cap_cents,
    postsToday: row.posts_today,
    messagesToday: row.messages_today,
    spentCents: row.spent,
    activeConnections: row.active ?? [],
  };
}
