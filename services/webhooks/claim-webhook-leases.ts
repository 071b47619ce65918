/**
 * Claims due deliveries, one webhook at a time. Only the process that holds the webhook lease delivers to that webhook,
 * in order, until it releases the lease or the lease expires. A delivery that is `processing` on a webhook without a
 * lease was interrupted and is attempted again.
 */
import type { EventName } from '../../entities/event.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** How long a webhook lease lasts unless it is renewed. */
export const WEBHOOK_LEASE_MS = 60_000;

/** Deliveries claimed at a time per webhook; this bounds what is in memory for one webhook. */
export const LEASE_BATCH = 25;

/** A delivery that only the process that claimed it may attempt. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly event: EventName;
  readonly mode: 'live' | 'test';
  readonly body: string;
  /** Finished attempts. */
  readonly attempts: number;
}

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
  readonly deliveries: readonly ClaimedDelivery[];
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

interface ClaimedRow {
  id: string;
  webhook_id: string;
  event: EventName;
  mode: 'live' | 'test';
  body: string;
  attempts: number;
}

interface LeaseRow {
  id: string;
  url: string;
  secret: string;
  previous_secret: string | null;
  previous_secret_until: string | null;
  revision: number;
  failing: boolean;
}

const OPEN = `d.status in ('pending', 'processing') and not d.paused`;
const IS_ON = 'w.deleted_at is null and w.disabled_at is null';

// Walks from webhook to webhook along the index, so a backlog of one webhook costs no more than a single delivery.
// Accounts take turns, and within an account its profiles. Leases held in any process count as turns taken.
const CLAIM_LEASES = `
  with recursive waiting(id) as (
    (select d.webhook_id from deliveries d where ${OPEN} order by d.webhook_id limit 1)
    union all
    select (select d.webhook_id from deliveries d where ${OPEN} and d.webhook_id > v.id order by d.webhook_id limit 1)
    from waiting v where v.id is not null
  ), held as (
    select account_id, profile_id, failing, count(*)::int as leases from webhooks where lease_until > $1 group by 1, 2, 3
  ), due as (
    select w.id, w.failing, w.account_id, first.due_at,
      coalesce(h.leases, 0) + row_number()
        over (partition by w.failing, w.account_id, w.profile_id order by first.due_at, w.id) as profile_turn
    from waiting v join webhooks w on w.id = v.id
    cross join lateral (select d.next_attempt_at as due_at from deliveries d
      where d.webhook_id = w.id and ${OPEN} and d.next_attempt_at <= $1 order by d.next_attempt_at limit 1) first
    left join held h on h.account_id = w.account_id and h.profile_id is not distinct from w.profile_id
      and h.failing = w.failing
    where ${IS_ON} and (w.lease_until is null or w.lease_until <= $1)
  ), fair as (
    select d.id, d.failing, d.due_at, d.profile_turn,
      coalesce((select sum(h.leases) from held h where h.account_id = d.account_id and h.failing = d.failing), 0)
        + row_number() over (partition by d.failing, d.account_id order by d.profile_turn, d.due_at, d.id) as turn
    from due d
  ), shared as (
    (select id from fair where not failing order by turn, due_at, id limit $4)
    union all
    (select id from fair where failing order by turn, due_at, id limit $5)
  ), reserved as (
    select id from fair where profile_turn = 1 and id not in (select id from shared) order by turn, due_at, id limit $6
  )
  update webhooks set lease = $2, lease_until = $3 where id in (
    select w.id from webhooks w where w.id in (select id from shared union all select id from reserved)
      and ${IS_ON} and (w.lease_until is null or w.lease_until <= $1) for no key update skip locked)
  returning id, url, secret, previous_secret, previous_secret_until, revision, failing`;

// Every statement here locks webhooks before their deliveries, in the same order as the statements that disable or
// delete a webhook.
const CLAIM = (statuses: string) => `
  update deliveries set status = 'processing', claim = $2
  where id in (
    select d.id from lease l cross join lateral (
      select d.id from deliveries d where d.webhook_id = l.id and d.status in (${statuses}) and not d.paused
        and d.next_attempt_at <= $1 order by d.next_attempt_at, d.id limit ${LEASE_BATCH}) d
  ) and status in (${statuses}) and not paused
  returning id, webhook_id, event, mode, body, attempts, next_attempt_at`;

const CLAIM_IN_TAKEN = `
  with lease as materialized (
    select w.id from webhooks w where w.id = any($3::uuid[]) and w.lease = $2 and ${IS_ON} order by w.id for no key update
  ), claimed as (${CLAIM(`'pending', 'processing'`)})
  select id, webhook_id, event, mode, body, attempts from claimed order by webhook_id, next_attempt_at, id`;

const CLAIM_MORE = `
  with lease as (
    update webhooks w set lease_until = $4 where w.id = $3 and w.lease = $2 and w.revision = $5 and ${IS_ON} returning w.id
  ), claimed as (${CLAIM(`'pending'`)})
  select id, webhook_id, event, mode, body, attempts from claimed order by next_attempt_at, id`;

const RELEASE = `
  with input as (select * from unnest($1::uuid[], $2::uuid[]) as i(webhook_id, claim)), locked as materialized (
    select w.id from webhooks w where w.id = any($1::uuid[]) order by w.id for no key update
  ), back as (
    update deliveries d set status = 'pending', claim = null from input i join locked l on l.id = i.webhook_id
    where d.webhook_id = i.webhook_id and d.claim = i.claim and d.status = 'processing'
  )
  update webhooks w set lease = null, lease_until = null from input i join locked l on l.id = i.webhook_id
  where w.id = i.webhook_id and w.lease = i.claim`;

/**
 * Takes free webhook leases that have due deliveries, with the first deliveries of each; fair among accounts, then
 * among profiles.
 */
export async function claimWebhookLeases(context: Context, room: LeaseCapacity): Promise<WebhookLease[]> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const until = new Date(now.getTime() + WEBHOOK_LEASE_MS);
  const parameters = [now, claim, until, room.healthy, room.failing, room.reserved];
  const leases = await query<LeaseRow>(context.db.em(), CLAIM_LEASES, parameters);
  if (leases.length === 0) return [];
  const ids = leases.map(({ id }) => id);
  const rows = await query<ClaimedRow>(context.db.em(), CLAIM_IN_TAKEN, [now, claim, ids]);
  const ofWebhook = Map.groupBy(rows, (row) => row.webhook_id);
  return leases.map((row) => batchOf(context, row, claim, ofWebhook.get(row.id) ?? []));
}

function batchOf(
  { vault }: Context,
  row: LeaseRow,
  claim: string,
  deliveries: readonly ClaimedDelivery[],
): WebhookLease {
  const { id, url, secret, previous_secret: sealed, previous_secret_until: until, revision, failing } = row;
  const previous =
    sealed === null || until === null ? null : { secret: vault.open(sealed, id) as string, until: new Date(until) };
  return {
    webhookId: id,
    claim,
    url,
    secret: vault.open(secret, id) as string,
    previous,
    revision,
    failing,
    deliveries,
  };
}

/**
 * Claims the next due deliveries of a webhook and renews its lease. Returns none when the lease is lost or the webhook
 * was changed.
 */
export async function claimMore(
  context: Context,
  { webhookId, claim, revision }: WebhookLease,
): Promise<ClaimedDelivery[]> {
  const now = context.clock.now();
  const until = new Date(now.getTime() + WEBHOOK_LEASE_MS);
  return query<ClaimedRow>(context.db.em(), CLAIM_MORE, [now, claim, webhookId, until, revision]);
}

/** Releases webhook leases; deliveries that were claimed under them and not attempted become pending again. */
export async function releaseWebhookLeases(context: Context, leases: readonly WebhookLease[]): Promise<void> {
  const webhooks = leases.map(({ webhookId }) => webhookId);
  const claims = leases.map(({ claim }) => claim);
  await query(context.db.em(), RELEASE, [webhooks, claims]);
}

/** For a process that has the database to itself: every lease still held belongs to a process that died. */
export async function releaseAllWebhookLeases(context: Context): Promise<void> {
  await query(context.db.em(), 'update webhooks set lease = null, lease_until = null where lease_until is not null');
}
