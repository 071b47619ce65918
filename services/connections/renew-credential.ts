/**
 * Renews the credential of a connection, one renewal at a time across all processes. Platforms such as Bluesky
 * invalidate the old token on use, so two concurrent renewals would lose access. The lease is a column, because a
 * transaction must not stay open during the platform call.
 */
import { isDeepStrictEqual } from 'node:util';
import { column } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import { tables } from '../../entities/tables.ts';
import { type AnyPlatform, PlatformFailure } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { storableText } from '../storable-text.ts';
import { dateOrNull } from '../timestamp.ts';
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

// The lease does not decide. A repeat after a lost answer finds the renewed credential and no lease. A worker that took
// over with the stale credential of a platform that replaced it has given up: only this credential works. Sealing uses a
// random nonce, so an account that was connected again matches neither text, also if its own renewal began in the same
// millisecond. What a send has found was refused for new tokens too, such as a missing permission: only a send can withdraw it.
const storeRenewed = statement('store a renewed credential', {
  parameters: {
    connectionId: 'uuid',
    stale: 'text',
    sealed: 'text',
    renewAt: 'timestamptz?',
    endsAt: 'timestamptz?',
  },
  result: { id: column('connections', 'id') },
  sql: ({ connectionId, stale, sealed, renewAt: at, endsAt: end }) => `
    update connections set credentials = ${sealed}, renewal_lease_until = null, renew_at = ${at},
      credential_ends_at = ${end},
      reconnect_since = case when reconnect_told_by = 'send' then reconnect_since end,
      reconnect_reason = case when reconnect_told_by = 'send' then reconnect_reason end,
      reconnect_told_by = case when reconnect_told_by = 'send' then reconnect_told_by end
    where id = ${connectionId} and deleted_at is null and credentials in (${stale}, ${sealed})
    returning id`,
});

/** A credential that can no longer be renewed is not tried again; the connection says so. */
const giveUp = statement('give up the renewal of a credential', {
  parameters: { connectionId: 'uuid', stale: 'text', leaseUntil: 'timestamptz', now: 'timestamptz', reason: 'text' },
  result: { id: column('connections', 'id') },
  sql: ({ connectionId, stale, leaseUntil, now, reason }) => `
    update connections set renewal_lease_until = null, renew_at = null,
      reconnect_since = coalesce(reconnect_since, ${now}), reconnect_reason = ${reason}, reconnect_told_by = 'renewal'
    where id = ${connectionId} and renewal_lease_until = ${leaseUntil} and credentials = ${stale}
    returning id`,
});

const releaseLease = statement('release the lease of a renewal', {
  parameters: { connectionId: 'uuid', stale: 'text', leaseUntil: 'timestamptz' },
  result: { id: column('connections', 'id') },
  sql: ({ connectionId, stale, leaseUntil }) => `
    update connections set renewal_lease_until = null
    where id = ${connectionId} and renewal_lease_until = ${leaseUntil} and credentials = ${stale}
    returning id`,
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
  const begunAt = context.clock.elapsed();
  let awaited: Date | null = null;
  do {
    const now = context.clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const taken = await takeLease(context.db.queries, { connectionId, sealed, now, leaseUntil });
    if (taken.length === 1) return renewUnderLease(context, { ...renewable, sealed }, refresh, leaseUntil);
    const { sealed: stored, leaseUntil: held } = await storedCredential(context, connectionId);
    if (stored === null) {
      throw new PlatformFailure('reconnect', 'The connection was deleted while its access token was being refreshed.');
    }
    // The platform refuses a credential that was only encrypted again, too.
    if (!isSameCredential(context, connectionId, stored, sealed))
      return { credential: context.vault.open(stored, connectionId) as Credential, sealed: stored };
    if (stored === sealed) await context.clock.sleep(POLL_MS);
    sealed = stored;
    awaited ??= held;
  } while (context.clock.elapsed() - begunAt < LEASE_MS);
  // The process that held this lease all the time is gone, although by the clock, which was set back, it has not expired.
  if (awaited !== null) await releaseLease(context.db.queries, { connectionId, stale: sealed, leaseUntil: awaited });
  throw new PlatformFailure('unavailable', 'Another process is refreshing the access token; nothing was posted.');
}

async function renewUnderLease<Credential>(
  context: Context,
  renewable: Renewable,
  refresh: (stale: Credential) => Promise<Credential>,
  leaseUntil: Date,
): Promise<Renewed<Credential>> {
  const { connectionId, platform, sealed } = renewable;
  let renewed: Credential;
  try {
    renewed = await refresh(context.vault.open(sealed, connectionId) as Credential);
  } catch (error) {
    await release(context, renewable, leaseUntil, error);
    throw error;
  }
  const outcome = {
    connectionId,
    sealed: context.vault.seal(renewed, connectionId),
    renewAt: renewAt(context, platform, renewed),
    endsAt: endsAt(context, platform, renewed),
  };
  const isStored = await storeOutcome(context, () =>
    changeWhileStored(context, renewable, (stale) => storeRenewed(context.db.queries, { ...outcome, stale })),
  );
  if (!isStored)
    context.log.warn({ connectionId }, 'a refreshed access token was not stored because its lease was lost');
  return { credential: renewed, sealed: outcome.sealed };
}

/** Releases the lease, unless the platform said that the credential can no longer be renewed. */
async function release(context: Context, renewable: Renewable, leaseUntil: Date, error: unknown): Promise<void> {
  const { connectionId } = renewable;
  const { queries } = context.db;
  await changeWhileStored(context, renewable, (stale) => {
    const held = { connectionId, stale, leaseUntil };
    if (!(error instanceof PlatformFailure && error.kind === 'reconnect')) return releaseLease(queries, held);
    return giveUp(queries, { ...held, now: context.clock.now(), reason: storableText(error.message) });
  });
}

/**
 * Makes a change that names the stale credential. A key rotation may encrypt it again meanwhile; the change then names
 * the new text.
 *
 * @returns false when another credential is stored, or the lease is no longer held
 */
async function changeWhileStored(
  context: Context,
  { connectionId, sealed }: Renewable,
  change: (stale: string) => Promise<readonly unknown[]>,
): Promise<boolean> {
  let stale = sealed;
  for (;;) {
    if ((await change(stale)).length > 0) return true;
    const { sealed: stored } = await storedCredential(context, connectionId);
    if (stored === null || stored === stale || !isSameCredential(context, connectionId, stored, stale)) return false;
    stale = stored;
  }
}

/** Whether two encrypted texts hold one credential: encrypting it twice gives two texts. */
function isSameCredential({ vault }: Context, connectionId: string, one: string, other: string): boolean {
  return one === other || isDeepStrictEqual(vault.open(one, connectionId), vault.open(other, connectionId));
}

/** The encrypted credential, null when the connection was deleted, and the lease of its renewal. */
async function storedCredential(context: Context, connectionId: string) {
  const row = await tables(context.db.queries)
    .selectFrom('connections')
    .select(['credentials', 'renewal_lease_until'])
    .where('id', '=', connectionId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return { sealed: row?.credentials ?? null, leaseUntil: dateOrNull(row?.renewal_lease_until ?? null) };
}
