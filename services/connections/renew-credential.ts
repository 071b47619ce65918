/**
 * Replaces the login of a connection, one renewal at a time over all processes. Platforms such as
 * Bluesky void the old token on use, so two renewals side by side would lose the login. The lease is
 * a column: a transaction must not stay open while the platform is being asked.
 */
import { query } from '../../entities/query.ts';
import { PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';

/** How long one process may take to renew before another may try. */
const LEASE_MS = 45_000;

/** How often who waits looks again. */
const POLL_MS = 100;

const TAKE_LEASE = `
  update connections set renewal_lease_until = $4
  where id = $1 and credentials = $2 and deleted_at is null
    and (renewal_lease_until is null or renewal_lease_until <= $3)
  returning id`;

const STORE = `
  update connections set credentials = $2, renewal_lease_until = null
  where id = $1 and renewal_lease_until = $3 and deleted_at is null
  returning id`;

/**
 * @param sealed the login that turned out stale, as stored; if another one stands there by now, that one is given
 * @param refresh asks the platform for a new login
 * @throws PlatformFailure what `refresh` throws; `reconnect` when the connection was deleted meanwhile;
 *   `unavailable` when another process holds the lease for longer than a renewal takes
 */
export async function renewCredential<Credential>(
  context: Context,
  connectionId: string,
  sealed: string,
  refresh: (stale: Credential) => Promise<Credential>,
): Promise<Credential> {
  const giveUpAt = context.clock.now().getTime() + LEASE_MS;
  do {
    const now = context.clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const taken = await query(context.db.em(), TAKE_LEASE, [connectionId, sealed, now, leaseUntil]);
    if (taken.length === 1) return renewUnderLease(context, connectionId, sealed, refresh, leaseUntil);
    const stored = await storedLogin(context, connectionId);
    if (stored !== sealed) return context.vault.open(stored, connectionId) as Credential;
    await context.clock.sleep(POLL_MS);
  } while (context.clock.now().getTime() < giveUpAt);
  throw new PlatformFailure('unavailable', 'The login is being renewed elsewhere; nothing was posted.');
}

async function renewUnderLease<Credential>(
  context: Context,
  connectionId: string,
  sealed: string,
  refresh: (stale: Credential) => Promise<Credential>,
  leaseUntil: Date,
): Promise<Credential> {
  let renewed: Credential;
  try {
    renewed = await refresh(context.vault.open(sealed, connectionId) as Credential);
  } catch (error) {
    const release = 'update connections set renewal_lease_until = null where id = $1 and renewal_lease_until = $2';
    await query(context.db.em(), release, [connectionId, leaseUntil]);
    throw error;
  }
  const stored = await query(context.db.em(), STORE, [
    connectionId,
    context.vault.seal(renewed, connectionId),
    leaseUntil,
  ]);
  if (stored.length === 0)
    context.log.warn({ connectionId }, 'a renewed login could not be stored: its lease was lost');
  return renewed;
}

async function storedLogin(context: Context, connectionId: string): Promise<string> {
  const sql = 'select credentials from connections where id = $1 and deleted_at is null';
  const [row] = await query<{ credentials: string | null }>(context.db.em(), sql, [connectionId]);
  if (row?.credentials === null || row === undefined) {
    throw new PlatformFailure('reconnect', 'The connection was deleted while its login was being renewed.');
  }
  return row.credentials;
}
