/**
 * Reads the events of a key in a stable order: by the transaction that wrote them. An event is returned only once its
 * transaction and all earlier ones are over. Ids cannot be the position of a reader: many processes generate them
 * before the commit.
 */
import type { EventName } from '../../entities/event.ts';
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import type { SignedEvent } from '../webhooks/delivery-headers.ts';
import { eventBody } from '../webhooks/event-body.ts';
import { DEFAULT_EVENTS } from '../webhooks/subscribed-webhooks.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

/** Position of a reader. */
export interface FeedPosition {
  /** The reader has everything up to this transaction and, within it, up to this id. */
  readonly writtenIn: string;
  readonly id: string;
  /**
   * Transactions that were over at the start, whose events are skipped; null for a reader that continues after an
   * event.
   */
  readonly snapshot: string | null;
}

/** Result of one read. */
export interface FeedPage {
  /** False once the key is revoked; the page then has no events. */
  readonly isAllowed: boolean;
  readonly events: readonly SignedEvent[];
  readonly position: FeedPosition;
}

/** Most events in one page. */
export const FEED_PAGE = 100;

const NO_ID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * docs/contract/webhooks.md#which-events-a-webhook-gets: the reach of a key, as SQL on `e`, given profile ($2, null for
 * the whole account) and mode ($3). A stream names no events, so it gets the events of a webhook that names none.
 */
const REACHED = `e.account_id = $1 and ($2::uuid is null or e.profile_id = $2) and ($3 = 'live' or e.mode = 'test')
  and e.name in ${DEFAULT_EVENTS}`;

const PRESENT = `select pg_current_snapshot()::text as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text as next`;
const FIND = `select e.written_in::text as written_in from events e where ${REACHED} and e.id = $4`;

/** SQL: whether a key is not revoked. */
function isLiving(keyId: string): string {
  return `exists (select 1 from api_keys k where k.id = ${keyId} and k.revoked_at is null)`;
}

// One statement has one snapshot: everything below its horizon is complete and does not change.
const READ = `
  select h.horizon::text as horizon, h.allowed, e.*
  from (select pg_snapshot_xmin(pg_current_snapshot()) as horizon,
    ${isLiving('$7')} as allowed) h
  left join lateral (
    select e.id, e.name, e.mode, e.payload, e.created_at, e.written_in::text as written_in from events e
    where ${REACHED} and h.allowed and (e.written_in, e.id) > ($4::xid8, $5::uuid) and e.written_in < h.horizon
      and ($6::pg_snapshot is null or not pg_visible_in_snapshot(e.written_in, $6::pg_snapshot))
    order by e.written_in, e.id limit ${FEED_PAGE}
  ) e on true`;

interface Row {
  horizon: string;
  allowed: boolean;
  /** Null when there is no event, like all following columns. */
  id: string | null;
  name: EventName;
  mode: 'live' | 'test';
  payload: JsonObject;
  created_at: string;
  written_in: string;
}

function reachOf({ accountId, profileId, mode }: Caller): unknown[] {
  return [accountId, profileId, mode];
}

/**
 * Finds the start position: the present, after the last received event, or at an earlier start.
 *
 * @param lastEventId an event's id or a snapshot; undefined for the present
 * @throws ServiceError invalid_request when the key cannot receive that event
 */
export async function feedPosition(
  context: Context,
  caller: Caller,
  lastEventId: string | undefined,
): Promise<FeedPosition> {
  const snapshot = lastEventId === undefined ? null : readSnapshot(lastEventId);
  if (lastEventId === undefined || snapshot !== null) {
    const [present] = await query<{ snapshot: string; next: string }>(context.db.em(), PRESENT);
    if (lastEventId === undefined) return beginningAt(readSnapshot(present?.snapshot ?? '') as Snapshot);
    // The service never sent a snapshot from the future, and it would skip events that are still to come.
    if (snapshot !== null && snapshot.end <= BigInt(present?.next ?? 0)) return beginningAt(snapshot);
    throw noSuchPosition(lastEventId);
  }
  const id = lastEventId.toLowerCase();
  const parameters = [...reachOf(caller), id];
  const [found] = UUID.test(id) ? await query<{ written_in: string }>(context.db.em(), FIND, parameters) : [];
  if (found !== undefined) return { writtenIn: found.written_in, id, snapshot: null };
  throw noSuchPosition(lastEventId);
}

function noSuchPosition(lastEventId: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `Last-Event-ID: expected the id of an event that this key receives, of the last 30 days, and not "${lastEventId.slice(0, 80)}". Leave it out to begin at present.`,
  );
}

function beginningAt({ text, oldest }: Snapshot): FeedPosition {
  return { writtenIn: String(oldest), id: NO_ID, snapshot: text };
}

/** Whether the key may still receive events. */
export async function mayHear(context: Context, { keyId }: Caller): Promise<boolean> {
  const [row] = await query<{ allowed: boolean }>(context.db.em(), `select ${isLiving('$1')} as allowed`, [keyId]);
  return row?.allowed ?? false;
}

/** Reads the next page from a position, and checks whether the key may still receive events. */
export async function readFeed(context: Context, caller: Caller, from: FeedPosition): Promise<FeedPage> {
  const parameters = [...reachOf(caller), from.writtenIn, from.id, from.snapshot, caller.keyId];
  const rows = await query<Row>(context.db.em(), READ, parameters);
  const isAllowed = rows[0]?.allowed ?? false;
  const found = rows.filter((row): row is Row & { id: string } => row.id !== null);
  const last = found.at(-1);
  const position =
    found.length === FEED_PAGE && last !== undefined
      ? { ...from, writtenIn: last.written_in, id: last.id }
      : { ...from, writtenIn: rows[0]?.horizon ?? from.writtenIn, id: NO_ID };
  return { isAllowed, events: found.map(signedEvent), position };
}

function signedEvent({ id, name, mode, payload, created_at: queuedAt }: Row & { id: string }): SignedEvent {
  return { id, event: name, mode, body: eventBody({ eventId: id, event: name, queuedAt, payload }) };
}
