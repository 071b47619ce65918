/**
 * Claims what is due, webhook by webhook: whoever has a webhook's lane alone delivers to it, in order, until the
 * lane is given back or its lease runs out. Whatever is `processing` in a lane that is free was cut off, and goes again.
 */
import type { EventName } from '../../entities/event.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';

/** How long a lane is held without a sign of life. */
export const LANE_LEASE_MS = 60_000;

/** Deliveries that a lane takes at a time: what of one webhook is in memory. */
export const LANE_BATCH = 25;

/** A delivery that may be attempted by whoever claimed it. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly event: EventName;
  readonly mode: 'live' | 'test';
  readonly body: string;
  /** Attempts so far. */
  readonly attempts: number;
}

/** The right to deliver to one webhook. */
export interface Lane {
  readonly webhookId: string;
  /** Random; deliveries claimed in this lane carry it. */
  readonly claim: string;
  readonly url: string;
  readonly secret: string;
  /** Whether the webhook's latest attempt had failed. */
  readonly failing: boolean;
  readonly deliveries: readonly ClaimedDelivery[];
}

/** How many lanes a process may take: of webhooks that take deliveries, and of those that lately did not. */
export interface LaneRoom {
  readonly healthy: number;
  readonly failing: number;
}

interface ClaimedRow {
  id: string;
  webhook_id: string;
  event: EventName;
  mode: 'live' | 'test';
  body: string;
  attempts: number;
}

interface LaneRow {
  id: string;
  url: string;
  secret: string;
  failing: boolean;
}

const OPEN = `d.status in ('pending', 'processing')`;

// Walks from webhook to webhook along the index, so that a backlog of one costs no more than a single delivery.
const TAKE_LANES = `
  with recursive waiting(id) as (
    (select d.webhook_id from deliveries d where ${OPEN} order by d.webhook_id limit 1)
    union all
    select (select d.webhook_id from deliveries d where ${OPEN} and d.webhook_id > v.id order by d.webhook_id limit 1)
    from waiting v where v.id is not null
  ), due as (
    select w.id, w.failing, first.due_at,
      row_number() over (partition by w.failing, w.account_id order by first.due_at, w.id) as turn
    from waiting v join webhooks w on w.id = v.id
    cross join lateral (select d.next_attempt_at as due_at from deliveries d
      where d.webhook_id = w.id and ${OPEN} and d.next_attempt_at <= $1 order by d.next_attempt_at limit 1) first
    where w.deleted_at is null and (w.lane_until is null or w.lane_until <= $1)
  ), chosen as (
    (select id from due where not failing order by turn, due_at, id limit $4)
    union all
    (select id from due where failing order by turn, due_at, id limit $5)
  )
  update webhooks set lane = $2, lane_until = $3 where id in (
    select w.id from webhooks w where w.id in (select id from chosen)
      and w.deleted_at is null and (w.lane_until is null or w.lane_until <= $1) for no key update skip locked)
  returning id, url, secret, failing`;

const PICKED = (statuses: string) => `
  cross join lateral (select d.id from deliveries d where d.webhook_id = l.id and d.status in (${statuses})
    and d.next_attempt_at <= $1 order by d.next_attempt_at, d.id limit ${LANE_BATCH}) d`;

const CLAIM = (lanes: string, statuses: string) => `
  update deliveries set status = 'processing', claim = $2
  where id in (select d.id from ${lanes} ${PICKED(statuses)}) and status in (${statuses})
  returning id, webhook_id, event, mode, body, attempts, next_attempt_at`;

const CLAIM_IN_TAKEN = `
  with claimed as (${CLAIM('unnest($3::uuid[]) as l(id)', `'pending', 'processing'`)})
  select id, webhook_id, event, mode, body, attempts from claimed order by webhook_id, next_attempt_at, id`;

const CLAIM_MORE = `
  with lane as (
    update webhooks set lane_until = $4 where id = $3 and lane = $2 and deleted_at is null returning id
  ), claimed as (${CLAIM('lane l', `'pending'`)})
  select id, webhook_id, event, mode, body, attempts from claimed order by next_attempt_at, id`;

const RELEASE = `
  with input as (select * from unnest($1::uuid[], $2::uuid[]) as i(webhook_id, claim)), back as (
    update deliveries d set status = 'pending', claim = null from input i
    where d.webhook_id = i.webhook_id and d.claim = i.claim and d.status = 'processing'
  )
  update webhooks w set lane = null, lane_until = null from input i where w.id = i.webhook_id and w.lane = i.claim`;

/** Takes free lanes that have something due, accounts in turns, with the first deliveries of each. */
export async function takeLanes(context: Context, room: LaneRoom): Promise<Lane[]> {
  const now = context.clock.now();
  const claim = context.random.uuid();
  const until = new Date(now.getTime() + LANE_LEASE_MS);
  const parameters = [now, claim, until, room.healthy, room.failing];
  const lanes = await query<LaneRow>(context.db.em(), TAKE_LANES, parameters);
  if (lanes.length === 0) return [];
  const ids = lanes.map(({ id }) => id);
  const rows = await query<ClaimedRow>(context.db.em(), CLAIM_IN_TAKEN, [now, claim, ids]);
  const ofWebhook = Map.groupBy(rows, (row) => row.webhook_id);
  return lanes.map(({ id, url, secret, failing }) => ({
    webhookId: id,
    claim,
    url,
    secret: context.vault.open(secret, id) as string,
    failing,
    deliveries: ofWebhook.get(id) ?? [],
  }));
}

/** Claims what else is due in a lane and makes its lease new; nothing when the lane is lost. */
export async function claimMore(context: Context, { webhookId, claim }: Lane): Promise<ClaimedDelivery[]> {
  const now = context.clock.now();
  const until = new Date(now.getTime() + LANE_LEASE_MS);
  return query<ClaimedRow>(context.db.em(), CLAIM_MORE, [now, claim, webhookId, until]);
}

/** Gives lanes back; what was claimed in them and not attempted waits again. */
export async function releaseLanes(context: Context, lanes: readonly Lane[]): Promise<void> {
  const webhooks = lanes.map(({ webhookId }) => webhookId);
  const claims = lanes.map(({ claim }) => claim);
  await query(context.db.em(), RELEASE, [webhooks, claims]);
}

/** For a process that has the database alone: whatever lanes are held were held by one that died. */
export async function freeAllLanes(context: Context): Promise<void> {
  await query(context.db.em(), 'update webhooks set lane = null, lane_until = null where lane_until is not null');
}
