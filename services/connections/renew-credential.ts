/**
 * Renews the credential of a connection, one renewal at a time across all processes. Platforms such as Bluesky
 * invalidate the old token on use, so two concurrent renewals would lose access. The lease is a column, because a
 * transaction must not stay open during the platform call.
 */
import { query } from '../../entities/query.ts';
import { type AnyPlatform, PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { storableText } from '../posts/ledger.ts';
import { renewAt } from './login-columns.ts';

/** How long one process may take to renew before another may try. */
const LEASE_MS = 45_000;

/** The connection whose credential is renewed. */
export interface Renewable {
  readonly connectionId: string;
  readonly platform: AnyPlatform;
  /** The stale credential, as stored; if another one is stored by now, that one is returned. */
  readonly sealed: string;
}

/** Polling interval while another process renews, in milliseconds. */
const POLL_MS = 100;

const TAKE_LEASE = `
  update connections set renewal_lease_until = $4
  where id = $1 and credentials = $2 and deleted_at is null
    and (renewal_lease_until is null or renewal_lease_until <= $3)
  returning id`;

const STORE = `
  update connections set credentials = $2, renewal_lease_until = null, renew_at = $4,
    reconnect_since = null, reconnect_reason = null, reconnect_told_by = null
  where id = $1 and renewal_lease_until = $3 and deleted_at is null
  returning id`;

/** A credential that can no longer be renewed is not tried again; the connection says so. */
const GIVE_UP = `
  update connections set renewal_lease_until = null, renew_at = null,
    reconnect_since = coalesce(reconnect_since, $3), reconnect_reason = $4, reconnect_told_by = 'renewal'
  where id = $1 and renewal_lease_until = $2`;

/**
 * @param refresh asks the platform for a new credential
 * @throws PlatformFailure any failure of `refresh`; `reconnect` when the connection was deleted meanwhile;
 *   `unavailable` when another process holds the lease for longer than a renewal takes
 */
export async function renewCredential<Credential>(
  context: Context,
  renewable: Renewable,
  refresh: (stale: Credential) => Promise<Credential>,
): Promise<Credential> {
  const { connectionId, sealed } = renewable;
  const giveUpAt = context.clock.now().getTime() + LEASE_MS;
  do {
    const now = context.clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const taken = await query(context.db.em(), TAKE_LEASE, [connectionId, sealed, now, leaseUntil]);
    if (taken.length === 1) return renewUnderLease(context, renewable, refresh, leaseUntil);
    const stored = await storedLogin(context, connectionId);
    if (stored !== sealed) return context.vault.open(stored, connectionId) as Credential;
    await context.clock.sleep(POLL_MS);
  } while (context.clock.now().getTime() < giveUpAt);
  throw new PlatformFailure('unavailable', 'The login is being renewed elsewhere; nothing was posted.');
}

async function renewUnderLease<Credential>(
  context: Context,
  { connectionId, platform, sealed }: Renewable,
  refresh: (stale: Credential) => Promise<Credential>,
  leaseUntil: Date,
): Promise<Credential> {
  let renewed: Credential;
  try {
    renewed = await refresh(context.vault.open(sealed, connectionId) as Credential);
  } catch (error) {
    await release(context, connectionId, leaseUntil, error);
    throw error;
  }
  const stored = await query(context.db.em(), STORE, [
    connectionId,
    context.vault.seal(renewed, connectionId),
    leaseUntil,
    renewAt(context, platform, renewed),
  ]);
  if (stored.length === 0)
    context.log.warn({ connectionId }, 'a renewed login could not be stored: its lease was lost');
  return renewed;
}

/** Releases the lease, unless the platform said that the credential can no longer be renewed. */
async function release(context: Context, connectionId: string, leaseUntil: Date, error: unknown): Promise<void> {
  if (error instanceof PlatformFailure && error.kind === 'reconnect') {
    const reason = storableText(error.message);
    await query(context.db.em(), GIVE_UP, [connectionId, leaseUntil, context.clock.now(), reason]);
    return;
  }
  const sql = 'update connections set renewal_lease_until = null where id = $1 and renewal_lease_until = $2';
  await query(context.db.em(), sql, [connectionId, leaseUntil]);
}

async function storedLogin(context: Context, connectionId: string): Promise<string> {
  const sql = 'select credentials from connections where id = $1 and deleted_at is null';
  const [row] = await query<{ credentials: string | null }>(context.db.em(), sql, [connectionId]);
  if (row?.credentials === null || row === undefined) {
    throw new PlatformFailure('reconnect', 'The connection was deleted while its login was being renewed.');
  }
  return row.credentials;
}
