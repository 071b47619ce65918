/**
 * Renews credentials before they expire, so that no post waits for a renewal and an invalid credential is known before
 * a post is due.
 */
import { query } from '../../entities/query.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import { platformOf } from '../../platforms/registry.ts';
import type { Context } from '../context.ts';
import { platformIo } from '../platform-io.ts';
import { connectionLogin, type LoginRow } from './connection-login.ts';
import { openSession } from './open-session.ts';

/** Maximum number of concurrent renewals. */
const AT_ONCE = 20;

/** Timeout of one renewal, in real time. */
const RENEWAL_TIMEOUT_MS = 30_000;

/** Delay before a renewal that failed temporarily is tried again. */
const TRY_AGAIN_MS = 5 * 60_000;

/**
 * Delays the next try before this one starts: other workers take other credentials, and a renewal that a crash
 * interrupts is not repeated immediately.
 */
const TAKE = `
  update connections c set renew_at = $2
  from (select id from connections where renew_at <= $1 and deleted_at is null
    order by renew_at limit $3 for update skip locked) due
  where c.id = due.id
  returning c.id, c.platform_id, c.platform_account_id, c.handle, c.credentials`;

interface DueRow extends LoginRow {
  id: string;
  platform_id: string;
}

/** @returns number of renewals tried */
export async function renewLogins(context: Context, signal: AbortSignal): Promise<number> {
  let tried = 0;
  while (!signal.aborted) {
    const now = context.clock.now();
    const due = await query<DueRow>(context.db.em(), TAKE, [now, new Date(now.getTime() + TRY_AGAIN_MS), AT_ONCE]);
    await Promise.all(due.map((row) => renewLogin(context, row)));
    tried += due.length;
    if (due.length < AT_ONCE) break;
  }
  return tried;
}

/** When the next credential is to be renewed; null when none is. */
export async function nextRenewalAt(context: Context): Promise<Date | null> {
  const sql = `select extract(epoch from min(renew_at)) * 1000 as at from connections
    where renew_at is not null and deleted_at is null`;
  const [row] = await query<{ at: string | null }>(context.db.em(), sql);
  return row?.at === null || row === undefined ? null : new Date(Number(row.at));
}

/** Never throws because of a platform: its error is recorded on the connection. */
async function renewLogin(context: Context, row: DueRow): Promise<void> {
  const platform = platformOf(context.platforms, row.platform_id);
  const { renewal } = platform;
  if (renewal === undefined) return;
  try {
    const session = openSession(context, platform, connectionLogin(row.id, row));
    const io = platformIo(context, RENEWAL_TIMEOUT_MS);
    await session.renew((stale) => renewal.renew(stale, io));
  } catch (error) {
    const about = { connectionId: row.id, platformId: row.platform_id, err: error };
    if (error instanceof PlatformFailure) context.log.warn(about, 'a login was not renewed');
    else context.log.error(about, 'a login was not renewed');
  }
}
