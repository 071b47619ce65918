/**
 * Renews the credential of a connection, one renewal at a time across all processes. Platforms such as Bluesky
 * invalidate the old token on use, so two concurrent renewals would lose access. The lease is a column, because a
 * transaction must not stay open during the platform call.
 */
import { isDeepStrictEqual } from 'node:util';
import { column } from '../../entities/column-lists.ts';
import { Connection } from '../../entities/connection.ts';
import { statement } from '../../entities/statement.ts';
import { type AnyPlatform, PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { storableText } from '../storable-text.ts';
import { storeOutcome } from '../until-database-answers.ts';
import { endsAt, renewAt } from './credential-columns.ts';

/** How long one process may take to renew before another may try. */
const LEASE_MS = 45_000;

/** The connection whose credential is renewed. */
export interface Renewable {
  readonly connectionId: string;
  readonly platform: AnyPlatform;
  /** The stale credential, as stored; if another one is stored by now, that one is returned. */
  readonly sealed: string;
}

/** A credential, and how it is stored. */
interface Renewed<Credential> {
  readonly credential: Credential;
  readonly sealed: string;
}

/** Polling interval while another process renews, in milliseconds. */
const POLL_MS = 100;

const takeLease = statement('take the lease of a renewal', {
  parameters: { connectionId: 'uuid', sealed: 'text', now: 'timestamptz', leaseUntil: 'timestamptz' },
  result: { id: column('connections', 'id') },
  sql: ({ connectionId, sealed, now, leaseUntil }) => `
    update connections set renewal_lease_until = ${leaseUntil}
    where id = ${connectionId} and credentials = ${sealed} and deleted_at is null
      and (renewal_lease_until is null or renewal_lease_until <= ${now})
    returning id`,
});

// The lease alone does not decide. A repeat after a lost answer finds the renewed credential and no lease. A worker that
// took over with the stale credential of a platform that replaced it has given up: only this credential works. Sealing
// uses a random nonce, so an account that was connected again matches neither text.
const storeRenewed = statement('store a renewed credential', {
  parameters: {
    connectionId: 'uuid',
    stale: 'text',
    sealed: 'text',
    leaseUntil: 'timestamptz',
    renewAt: 'timestamptz?',
    endsAt: 'timestamptz?',
  },
  result: { id: column('connections', 'id') },
  sql: ({ connectionId, stale, sealed, leaseUntil, renewAt: at, endsAt: end }) => `
    update connections set credentials = ${sealed}, renewal_lease_until = null, renew_at = ${at},
      credential_ends_at = ${end}, reconnect_since = null, reconnect_reason = null, reconnect_told_by = null
    where id = ${connectionId} and deleted_at is null
      and (renewal_lease_until = ${leaseUntil} or credentials in (${stale}, ${sealed}))
    returning id`,
});

/** A credential that can no longer be renewed is not tried again; the connection says so. */
const giveUp = statement('give up the renewal of a credential', {
  parameters: { connectionId: 'uuid', leaseUntil: 'timestamptz', now: 'timestamptz', reason: 'text' },
  sql: ({ connectionId, leaseUntil, now, reason }) => `
    update connections set renewal_lease_until = null, renew_at = null,
      reconnect_since = coalesce(reconnect_since, ${now}), reconnect_reason = ${reason}, reconnect_told_by = 'renewal'
    where id = ${connectionId} and renewal_lease_until = ${leaseUntil}`,
});

/**
 * @param refresh asks the platform for a new credential
 * @throws PlatformFailure any failure of `refresh`; `reconnect` when the connection was deleted meanwhile;
 *   `unavailable` when another process holds the lease for longer than a renewal takes
 */
export async function renewCredential<Credential>(
  context: Context,
  renewable: Renewable,
  refresh: (stale: Credential) => Promise<Credential>,
): Promise<Renewed<Credential>> {
  const { connectionId } = renewable;
  let { sealed } = renewable;
  const giveUpAt = context.clock.now().getTime() + LEASE_MS;
  do {
    const now = context.clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const taken = await takeLease(context.db.queries, { connectionId, sealed, now, leaseUntil });
    if (taken.length === 1) return renewUnderLease(context, { ...renewable, sealed }, refresh, leaseUntil);
    const stored = await storedCredential(context, connectionId);
    if (stored !== sealed) {
      const credential = context.vault.open(stored, connectionId) as Credential;
      // A key rotation encrypts the same credential again, and the platform refuses that one too.
      if (!isDeepStrictEqual(credential, context.vault.open(sealed, connectionId)))
        return { credential, sealed: stored };
      sealed = stored;
    } else await context.clock.sleep(POLL_MS);
  } while (context.clock.now().getTime() < giveUpAt);
  throw new PlatformFailure('unavailable', 'Another process is refreshing the access token; nothing was posted.');
}

async function renewUnderLease<Credential>(
  context: Context,
  { connectionId, platform, sealed }: Renewable,
  refresh: (stale: Credential) => Promise<Credential>,
  leaseUntil: Date,
): Promise<Renewed<Credential>> {
  let renewed: Credential;
  try {
    renewed = await refresh(context.vault.open(sealed, connectionId) as Credential);
  } catch (error) {
    await release(context, connectionId, leaseUntil, error);
    throw error;
  }
  const outcome = {
    connectionId,
    stale: sealed,
    sealed: context.vault.seal(renewed, connectionId),
    leaseUntil,
    renewAt: renewAt(context, platform, renewed),
    endsAt: endsAt(context, platform, renewed),
  };
  const stored = await storeOutcome(context, () => storeRenewed(context.db.queries, outcome));
  if (stored.length === 0)
    context.log.warn({ connectionId }, 'a refreshed access token was not stored because its lease was lost');
  return { credential: renewed, sealed: outcome.sealed };
}

/** Releases the lease, unless the platform said that the credential can no longer be renewed. */
async function release(context: Context, connectionId: string, leaseUntil: Date, error: unknown): Promise<void> {
  if (error instanceof PlatformFailure && error.kind === 'reconnect') {
    const reason = storableText(error.message);
    await giveUp(context.db.queries, { connectionId, leaseUntil, now: context.clock.now(), reason });
    return;
  }
  const held = { id: connectionId, renewalLeaseUntil: leaseUntil };
  await context.db.em().nativeUpdate(Connection, held, { renewalLeaseUntil: null });
}

async function storedCredential(context: Context, connectionId: string): Promise<string> {
  const open = { id: connectionId, deletedAt: null };
  const connection = await context.db.em().findOne(Connection, open, { fields: ['credentials'] });
  if (connection === null || connection.credentials === null) {
    throw new PlatformFailure('reconnect', 'The connection was deleted while its access token was being refreshed.');
  }
  return connection.credentials;
}
