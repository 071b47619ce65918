/**
 * Renews credentials before they expire, so that no post waits for a renewal and an invalid credential is known before
 * a post is due.
 */
import { columns } from '../../entities/column-lists.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { roundEnd } from '../workers/round-end.ts';
import { connectionCredential } from './connection-credential.ts';
import { openSession, REFRESH_TIMEOUT_MS } from './open-session.ts';

/** Maximum number of concurrent renewals. */
const AT_ONCE = 20;

/** Delay before a renewal that failed temporarily is tried again. */
const TRY_AGAIN_MS = 5 * 60_000;

const DUE = columns('connections', ['id', 'platform_id', 'platform_account_id', 'handle', 'credentials'], 'c');

/**
 * Delays the next try before this one starts: other workers take other credentials, and a renewal that a crash
 * interrupts is not repeated immediately.
 */
const takeDue = statement('take credentials that are due for renewal', {
  parameters: { now: 'timestamptz', nextTry: 'timestamptz', limit: 'int' },
  result: DUE.types,
  sql: ({ now, nextTry, limit }) => `
    update connections c set renew_at = ${nextTry}
    from (select id from connections where renew_at <= ${now} and deleted_at is null
      order by renew_at limit ${limit} for update skip locked) due
    where c.id = due.id
    returning ${DUE.sql}`,
});

type DueRow = RowOf<typeof takeDue>;

/** @returns number of renewals tried */
export async function renewDueCredentials(context: Context, signal: AbortSignal): Promise<number> {
  let tried = 0;
  const isOver = roundEnd(context, signal);
  while (!isOver()) {
    const now = context.clock.now();
    const due = await takeDue(context.db.queries, {
      now,
      nextTry: new Date(now.getTime() + TRY_AGAIN_MS),
      limit: AT_ONCE,
    });
    await Promise.all(due.map((row) => renewDueCredential(context, row)));
    tried += due.length;
    if (due.length < AT_ONCE) break;
  }
  return tried;
}

/** When the next credential is to be renewed; null when none is. */
export async function nextRenewalAt(context: Context): Promise<Date | null> {
  const next = await tables(context.db.queries)
    .selectFrom('connections')
    .select('renew_at')
    .where('renew_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('renew_at')
    .limit(1)
    .executeTakeFirst();
  return next?.renew_at == null ? null : new Date(next.renew_at);
}

/** Never throws because of a platform: its error is recorded on the connection. */
async function renewDueCredential(context: Context, row: DueRow): Promise<void> {
  const platform = platformOf(context.platforms, row.platform_id);
  const { renewal } = platform;
  if (renewal === undefined) return;
  try {
    const session = openSession(context, platform, connectionCredential(row.id, row));
    const io = platformIo(context, REFRESH_TIMEOUT_MS);
    await session.renew((stale, signal) => renewal.renew(stale, { ...io, signal }));
  } catch (error) {
    const subject = { connectionId: row.id, platformId: row.platform_id, err: error };
    if (error instanceof PlatformFailure) context.log.warn(subject, 'an access token was not refreshed');
    else context.log.error(subject, 'an access token was not refreshed');
  }
}
