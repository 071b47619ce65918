/**
 * Mails owners about posts that wait for approval: one mail for all that arrived within minutes, and none for half an hour
 * after it. The mail has a link to the console, which asks; opening it decides nothing.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { storeOwnerNotices } from '../notices/store-owner-notices.ts';
import { lockAccount } from '../plans/plan-usage.ts';
import { dateOrNull } from '../timestamp.ts';

/** How long the first request waits for others that the same mail can report. */
const GATHERED_MS = 2 * 60_000;

/** Shortest time between two mails to an account. */
const APART_MS = 30 * 60_000;

const TIMES = { gathered: GATHERED_MS, apart: APART_MS } as const;

/** Most requesters that a mail names. */
const NAMED_MAX = 5;

const markMailed = statement('mark requests for approval as mailed', {
  parameters: { accountId: 'uuid', now: 'timestamptz' },
  result: { requested_by_name: 'text', scheduled_for: 'timestamptz?' },
  sql: ({ accountId, now }) => `
    update approvals set mailed_at = ${now} where id in (
      select id from approvals where account_id = ${accountId} and state = 'pending' and mailed_at is null
      for update skip locked)
    returning requested_by_name, scheduled_for`,
});

const waitingAccounts = statement('find accounts with requests that were not mailed', {
  parameters: { gathered: 'int', apart: 'int', accountId: 'uuid?' },
  result: { account_id: 'uuid', due: 'timestamptz' },
  sql: ({ gathered, apart, accountId }) => `
    select w.account_id,
      greatest(w.first + ${gathered} * interval '1 ms', a.approvals_mailed_at + ${apart} * interval '1 ms') as due
    from (
      select account_id, min(requested_at) as first from approvals
      where state = 'pending' and mailed_at is null and (${accountId} is null or account_id = ${accountId})
      group by account_id
    ) w
    join accounts a on a.id = w.account_id
    order by due limit 100`,
});

/** @returns how many accounts were mailed */
export async function mailPending(context: Context, signal: AbortSignal): Promise<number> {
  if (context.mail === null) return 0;
  const now = context.clock.now();
  const accounts = await waitingAccounts(context.db.queries, { ...TIMES, accountId: null });
  let mailed = 0;
  for (const { account_id: accountId, due } of accounts) {
    if (signal.aborted || new Date(due) > now) break;
    await context.db.em().transactional((em: SqlEntityManager) => mailAccount(context, em, accountId));
    mailed += 1;
  }
  return mailed;
}

async function mailAccount(context: Context, em: SqlEntityManager, accountId: string): Promise<void> {
  const now = context.clock.now();
  // Before the requests, as where posts are published.
  await lockAccount(em, accountId);
  // Another worker may have mailed the account meanwhile. What was asked since waits for the next mail.
  const [waiting] = await waitingAccounts(em, { ...TIMES, accountId });
  if (waiting === undefined || new Date(waiting.due) > now) return;
  const rows = await markMailed(em, { accountId, now });
  if (rows.length === 0) return;
  // The requests are deleted with their posts.
  await tables(em).updateTable('accounts').set({ approvals_mailed_at: now }).where('id', '=', accountId).execute();
  const names = [...new Set(rows.map((row) => row.requested_by_name))];
  const shown = names.slice(0, NAMED_MAX).map((name) => `“${name}”`);
  const others = names.length > shown.length ? [`and ${names.length - shown.length} others`] : [];
  const times = rows.flatMap(({ scheduled_for: time }) => time ?? []).toSorted();
  const count = rows.length === 1 ? 'A post waits' : `${rows.length} posts wait`;
  await storeOwnerNotices(context, em, accountId, {
    subject: `${count} for your approval`,
    text: [
      `${count} for approval. Asked by: ${[...shown, ...others].join(', ')}.`,
      ...(times[0] === undefined ? [] : [`The first is planned for ${new Date(times[0]).toISOString()}.`]),
      `Nothing goes out before an owner approves it: ${context.config.publicUrl}/approvals`,
      `To stop everything at once: ${context.config.publicUrl}/stops`,
    ].join('\n\n'),
  });
}

/** When the next request expires or the next mail is due; null when nothing waits. */
export async function nextApprovalAt(context: Context): Promise<Date | null> {
  const { at } = await tables(context.db.queries)
    .selectFrom('approvals')
    .select(({ fn }) => fn.min<string | null>('expires_at').as('at'))
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  const [mail] = context.mail === null ? [] : await waitingAccounts(context.db.queries, { ...TIMES, accountId: null });
  const times = [dateOrNull(at), dateOrNull(mail?.due ?? null)].filter((time) => time !== null);
  return times.length === 0 ? null : new Date(Math.min(...times.map((time) => time.getTime())));
}
