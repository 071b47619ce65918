/**
 * Claims due deliveries, one webhook at a time. Only the process that holds the webhook lease delivers to that webhook,
 * in order, until it releases the lease or the lease expires. A delivery that is `processing` on a webhook without a
 * lease was interrupted and is attempted again.
 */
import { column, columns } from '../../entities/column-lists.ts';
import { isDatabaseAway } from '../../entities/database-away.ts';
import { orNull } from '../../entities/sql-types.ts';
import { type RowOf, statement } from '../../entities/statement.ts';
import type { Tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import { untilDatabaseAnswers } from '../until-database-answers.ts';

/** How long a webhook lease lasts unless it is renewed. */
export const WEBHOOK_LEASE_MS = 60_000;

/** Deliveries claimed at a time per webhook; this bounds what is in memory for one webhook. */
export const LEASE_BATCH = 50;

/** A delivery that only the process that claimed it may attempt; `attempts` counts the finished ones. */
export type ClaimedDelivery = Pick<Tables['deliveries'], 'id' | 'subject_id' | 'event' | 'mode' | 'body' | 'attempts'>;

/** A webhook lease: the exclusive right to deliver to one webhook. */
export interface WebhookLease {
  readonly webhookId: string;
  /** Random; the deliveries claimed under this lease carry it. */
  readonly claim: string;
  readonly url: string;
  readonly secret: string;
  /** The secret before the last rotation, and until when it also signs deliveries; null when there is none. */
  readonly previous: { readonly secret: string; readonly until: Date } | null;
  /** Revision of the webhook when the lease was taken. A change of url, secret or state increments it. */
  readonly revision: number;
  /** Whether the latest attempt at the webhook failed. */
  readonly failing: boolean;
}

/** What a lease begins with. */
export interface FirstDeliveries {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Whether more may be due than these. */
  readonly hasMore: boolean;
}

/** A new lease and its first deliveries. */
export interface NewLease {
  readonly lease: WebhookLease;
  /** When it was asked for, in milliseconds of the clock's elapsed time: the transaction that takes it may last. */
  readonly takenAt: number;
  readonly first: FirstDeliveries;
}

/**
 * How many webhook leases a process may take: for healthy webhooks, for failing webhooks, and in addition to both, for
 * profiles that currently hold no lease of that kind.
 */
export interface LeaseCapacity {
  readonly healthy: number;
  readonly failing: number;
  readonly reserved: number;
}

/** Deliveries `d` that a lease may claim. */
export const OPEN = `d.status in ('pending', 'processing') and not d.paused`;
/** Webhooks `w` that deliveries are attempted to: not while earlier ones are still paused, which an event of the same post would overtake. */
export const IS_ON = 'w.deleted_at is null and w.disabled_at is null and w.adjusting_at is null';

const LEASED_COLUMNS = columns('webhooks', [
  'id',
  'url',
  'secret',
  'previous_secret',
  'previous_secret_until',
  'revision',
  'failing',
]);

/** What a statement that takes leases returns. Only a deleted webhook has no secret. */
export const LEASED = { sql: LEASED_COLUMNS.sql, types: { ...LEASED_COLUMNS.types, secret: 'text' } } as const;

const CLAIMED = columns('deliveries', ['id', 'webhook_id', 'subject_id', 'event', 'mode', 'body', 'attempts']);

/**
 * `waiting(id)`, recursive: webhooks with deliveries that a lease may claim, and a null. It goes from webhook to webhook along
 * the index, so a backlog of one webhook costs no more than a single delivery.
 */
export const WAITING_WEBHOOKS = `waiting(id) as (
      (select d.webhook_id from deliveries d where ${OPEN} order by d.webhook_id limit 1)
      union all
      select (select d.webhook_id from deliveries d where ${OPEN} and d.webhook_id > v.id order by d.webhook_id limit 1)
      from waiting v where v.id is not null)`;

// Accounts take turns, and within an account its profiles. Leases held in any process count as turns taken.
const takeLeases = statement('take the leases of webhooks with due deliveries', {
  parameters: {
    now: 'timestamptz',
    claim: 'uuid',
    until: 'timestamptz',
    healthy: 'int',
    failing: 'int',
    reserved: 'int',
    busy: 'uuid[]',
  },
  result: LEASED.types,
  sql: ({ now, claim, until, healthy, failing, reserved, busy }) => `
    with recursive ${WAITING_WEBHOOKS}, held as (
      select account_id, profile_id, failing, count(*)::int as leases from webhooks
      where lease_until > ${now} group by 1, 2, 3
    ), due as (
      select w.id, w.failing, w.account_id, first.due_at,
        coalesce(h.leases, 0) + row_number()
          over (partition by w.failing, w.account_id, w.profile_id order by first.due_at, w.id) as profile_turn
      from waiting v join webhooks w on w.id = v.id
      cross join lateral (select d.next_attempt_at as due_at from deliveries d
        where d.webhook_id = w.id and ${OPEN} and d.next_attempt_at <= ${now} order by d.next_attempt_at limit 1) first
      left join held h on h.account_id = w.account_id and h.profile_id is not distinct from w.profile_id
        and h.failing = w.failing
      where ${IS_ON} and (w.lease_until is null or w.lease_until <= ${now}) and w.id <> all(${busy})
    ), fair as (
      select d.id, d.failing, d.due_at, d.profile_turn,
        coalesce((select sum(h.leases) from held h where h.account_id = d.account_id and h.failing = d.failing), 0)
          + row_number() over (partition by d.failing, d.account_id order by d.profile_turn, d.due_at, d.id) as turn
      from due d
    ), shared as (
      (select id from fair where not failing order by turn, due_at, id limit ${healthy})
      union all
      (select id from fair where failing order by turn, due_at, id limit ${failing})
    ), reserved as (
      select id from fair where profile_turn = 1 and id not in (select id from shared)
      order by turn, due_at, id limit ${reserved}
    )
    update webhooks set lease = ${claim}, lease_until = ${until} where id in (
      select w.id from webhooks w where w.id in (select id from shared union all select id from reserved)
        and ${IS_ON} and (w.lease_until is null or w.lease_until <= ${now}) for no key update skip locked)
    returning ${LEASED.sql}`,
});

// Every statement here locks webhooks before their deliveries, in the same order as the statements that disable or
// delete a webhook. Those for several webhooks leave out one that another transaction has locked, so that the others do not wait.
// `leased` is the result of the statement around it. The ids are found once. The conditions are checked again, and their form keeps
// PostgreSQL from searching all open deliveries for the ids. What is `processing` and not `held` was left by a process that died,
// or by a claim whose answer was lost: it keeps its place in the order.
const claimOf = (now: string, claim: string, held: string) => `
  update deliveries set status = 'processing', claim = ${claim}
  where id = any(array(
    select d.id from leased l cross join lateral (
      select d.id from deliveries d where d.webhook_id = l.id and ${OPEN} and d.id <> all(${held})
        and d.next_attempt_at <= ${now} order by d.next_attempt_at, d.id limit ${LEASE_BATCH}) d
  )) and case when not paused and next_attempt_at <= ${now} then status end in ('pending', 'processing')
  returning ${CLAIMED.names}, next_attempt_at`;

const claimFirst = statement('claim the first deliveries under new leases', {
  parameters: { now: 'timestamptz', claim: 'uuid', webhookIds: 'uuid[]' },
  result: CLAIMED.types,
  sql: ({ now, claim, webhookIds }) => `
    with leased as materialized (
      select w.id from webhooks w where w.id = any(${webhookIds}) and w.lease = ${claim} and ${IS_ON} order by w.id
      for no key update skip locked
    ), claimed as (${claimOf(now, claim, `'{}'`)})
    select ${CLAIMED.names} from claimed order by webhook_id, next_attempt_at, id`,
});

// A lease that holds gives at least one row, which has no delivery when none is due.
const claimNext = statement('renew the lease of a webhook and claim its next deliveries', {
  parameters: {
    now: 'timestamptz',
    claim: 'uuid',
    webhookId: 'uuid',
    until: 'timestamptz',
    revision: column('webhooks', 'revision'),
    held: 'uuid[]',
  },
  result: { ...CLAIMED.types, id: orNull(CLAIMED.types.id) },
  sql: ({ now, claim, webhookId, until, revision, held }) => `
    with leased as (
      update webhooks w set lease_until = ${until}
      where w.id = ${webhookId} and w.lease = ${claim} and w.revision = ${revision} and ${IS_ON} returning w.id
    ), claimed as (${claimOf(now, claim, held)})
    select ${CLAIMED.sql} from leased left join claimed deliveries on true order by next_attempt_at, deliveries.id`,
});

const releaseClaim = statement('release the leases of webhooks under a claim', {
  parameters: { claim: 'uuid', now: 'timestamptz' },
  sql: ({ claim, now }) => `
    with locked as materialized (
      select w.id from webhooks w where w.lease = ${claim} and w.lease_until > ${now} order by w.id for no key update
    ), back as (
      update deliveries d set status = 'pending', claim = null from locked l
      where d.webhook_id = l.id and d.claim = ${claim} and d.status = 'processing'
    )
    update webhooks w set lease = null, lease_until = null from locked l where w.id = l.id`,
});

/**
 * Takes free webhook leases that have due deliveries, with the first deliveries of each; fair among accounts, then profiles.
 *
 * @param busy ids of webhooks that this process still delivers to, although their leases may have expired
 */
export async function claimWebhookLeases(
  context: Context,
  capacity: LeaseCapacity,
  busy: string[],
): Promise<NewLease[]> {
  const now = context.clock.now();
  const takenAt = context.clock.elapsed();
  const claim = context.random.uuid();
  const until = new Date(now.getTime() + WEBHOOK_LEASE_MS);
  try {
    const leases = await takeLeases(context.db.em(), { now, claim, until, ...capacity, busy });
    if (leases.length === 0) return [];
    const webhookIds = leases.map(({ id }) => id);
    const claimed = await claimFirst(context.db.em(), { now, claim, webhookIds });
    const ofWebhook = Map.groupBy(claimed, (row) => row.webhook_id);
    return leases.flatMap((row) => {
      const lease = leaseOf(context, row, claim);
      const deliveries = ofWebhook.get(row.id) ?? [];
      // None of a webhook that was locked meanwhile.
      const first = { deliveries, hasMore: deliveries.length === LEASE_BATCH || deliveries.length === 0 };
      return lease === null ? [] : [{ lease, takenAt, first }];
    });
  } catch (error) {
    if (isDatabaseAway(error)) releaseUnused(context, claim);
    throw error;
  }
}

/** Releases leases that exist if only the answer was lost, when the database answers again. Otherwise they end by themselves. */
export function releaseUnused(context: Context, claim: string): void {
  const release = () => releaseClaim(context.db.em(), { claim, now: context.clock.now() });
  untilDatabaseAnswers(context, WEBHOOK_LEASE_MS, release).catch(() => undefined);
}

/**
 * @param claim under which the lease was taken
 * @returns null when the secret cannot be decrypted, for example because this process has not got a new key yet. The lease is kept
 *   until it ends, so that its webhook is tried again then and holds up no other.
 */
export function leaseOf({ vault, log }: Context, row: RowOf<typeof takeLeases>, claim: string): WebhookLease | null {
  const { id, url, previous_secret: sealed, previous_secret_until: until, revision, failing } = row;
  try {
    const secret = vault.open(row.secret, id) as string;
    const previous =
      sealed === null || until === null ? null : { secret: vault.open(sealed, id) as string, until: new Date(until) };
    return { webhookId: id, claim, url, secret, previous, revision, failing };
  } catch (error) {
    log.error({ webhookId: id, err: error }, 'the secret of a webhook cannot be decrypted; its deliveries wait');
    return null;
  }
}

/**
 * Claims the next due deliveries of a webhook and renews its lease. Safe to repeat when the answer was lost.
 *
 * @param held ids of the deliveries that the process holds under this lease
 * @returns null when the lease is lost or the webhook was changed: its url may be another one
 */
export async function claimMore(
  context: Context,
  { webhookId, claim, revision }: WebhookLease,
  held: string[],
): Promise<ClaimedDelivery[] | null> {
  const now = context.clock.now();
  const until = new Date(now.getTime() + WEBHOOK_LEASE_MS);
  const rows = await claimNext(context.db.em(), { now, claim, webhookId, until, revision, held });
  return rows.length === 0 ? null : rows.flatMap(({ id, ...row }) => (id === null ? [] : [{ id, ...row }]));
}
