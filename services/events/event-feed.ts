/**
 * Reads the events of a key or a person in a stable order: by the transaction that wrote them. An event is returned only once its
 * transaction and all earlier ones are over. Ids cannot be the position of a reader: many processes generate them
 * before the commit.
 */
import { column, columns } from '../../entities/column-lists.ts';
import { orNull } from '../../entities/sql-types.ts';
import { statement } from '../../entities/statement.ts';
import type { Tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { eventBody, type SignedEvent } from './event-body.ts';
import { DEFAULT_EVENTS } from './subscribed-webhooks.ts';
import { readSnapshot, type Snapshot } from './snapshot.ts';

/** Whose events are read, and what must stay valid meanwhile. */
export interface FeedReader extends Pick<Caller, 'accountId' | 'profileId' | 'mode'> {
  /** Id of the API key or of the sign-in. */
  readonly credentialId: string;
}

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
  /** False once the key is revoked or the sign-in has ended; the page then has no events. */
  readonly isAllowed: boolean;
  readonly events: readonly SignedEvent[];
  readonly position: FeedPosition;
}

/** Most events in one page. */
export const FEED_PAGE = 100;

const NO_ID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const CREDENTIAL = { credentialId: 'uuid', now: column('sign_ins', 'expires_at') } as const;

/** Parameters of {@link isReached}. */
export const REACH = { accountId: 'uuid', profileId: 'uuid?', mode: column('events', 'mode') } as const;

/**
 * docs/contract/webhooks.md#which-events-a-webhook-gets: the reach of a key, as SQL on `e`; a null profile is the whole
 * account. A stream names no events, so it gets the events of a webhook that names none.
 */
export const isReached = ({ accountId, profileId, mode }: Readonly<Record<keyof typeof REACH, string>>) => `
  e.account_id = ${accountId} and (${profileId} is null or e.profile_id = ${profileId})
  and (${mode} = 'live' or e.mode = 'test') and e.name in ${DEFAULT_EVENTS}`;

/** Whether a key is neither revoked nor expired, or a sign-in has not ended, as SQL. Ids of both are UUIDs, so none is both. */
const isActive = ({ credentialId, now }: Readonly<Record<keyof typeof CREDENTIAL, string>>) => `(
  exists (select 1 from api_keys k where k.id = ${credentialId} and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > ${now}))
  or exists (select 1 from sign_ins s where s.id = ${credentialId} and s.expires_at > ${now}))`;

const readPresent = statement('read the present snapshot', {
  result: { snapshot: 'text', next: 'text' },
  sql: () => `
    select pg_current_snapshot()::text as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text as next`,
});

const findTransaction = statement('find the transaction that wrote an event', {
  parameters: { ...REACH, id: 'uuid' },
  result: { written_in: column('events', 'written_in') },
  sql: ({ id, ...reach }) => `select e.written_in from events e where ${isReached(reach)} and e.id = ${id}`,
});

const checkCredential = statement('check whether a key or a sign-in is active', {
  parameters: CREDENTIAL,
  result: { allowed: 'boolean' },
  sql: (credential) => `select ${isActive(credential)} as allowed`,
});

const EVENT = columns('events', ['id', 'name', 'mode', 'payload', 'created_at', 'written_in'], 'e');

type EventRow = Pick<Tables['events'], keyof typeof EVENT.types>;

// One statement has one snapshot: everything below its horizon is complete and does not change.
const readEvents = statement('read the events of a reader after a position', {
  parameters: { ...REACH, ...CREDENTIAL, writtenIn: 'xid8', id: 'uuid', snapshot: 'text?' },
  result: {
    horizon: 'text',
    allowed: 'boolean',
    // Null when there is no event, like all following columns.
    id: orNull(EVENT.types.id),
    name: orNull(EVENT.types.name),
    mode: orNull(EVENT.types.mode),
    payload: orNull(EVENT.types.payload),
    created_at: orNull(EVENT.types.created_at),
    written_in: orNull(EVENT.types.written_in),
  },
  sql: ({ writtenIn, id, snapshot, credentialId, now, ...reach }) => `
    select h.horizon::text as horizon, h.allowed, e.*
    from (select pg_snapshot_xmin(pg_current_snapshot()) as horizon, ${isActive({ credentialId, now })} as allowed) h
    left join lateral (
      select ${EVENT.sql} from events e
      where ${isReached(reach)} and h.allowed and (e.written_in, e.id) > (${writtenIn}, ${id}) and e.written_in < h.horizon
        and (${snapshot} is null or not pg_visible_in_snapshot(e.written_in, ${snapshot}::pg_snapshot))
      order by e.written_in, e.id limit ${FEED_PAGE}
    ) e on true`,
});

/** The values of these parameters. */
export function reachOf({
  accountId,
  profileId,
  mode,
}: Pick<FeedReader, keyof typeof REACH>): Pick<FeedReader, keyof typeof REACH> {
  return { accountId, profileId, mode };
}

function isEvent(row: Nullable<EventRow>): row is EventRow {
  return row.id !== null;
}

type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null };

/**
 * Finds the start position: the present, after the last received event, or at an earlier start.
 *
 * @param lastEventId an event's id or a snapshot; undefined for the present
 * @throws ServiceError invalid_request when the key cannot receive that event
 */
export async function feedPosition(
  context: Context,
  reader: FeedReader,
  lastEventId: string | undefined,
): Promise<FeedPosition> {
  const snapshot = lastEventId === undefined ? null : readSnapshot(lastEventId);
  if (lastEventId === undefined || snapshot !== null) {
    const [present] = await readPresent(context.db.em());
    if (lastEventId === undefined) return beginningAt(readSnapshot(present?.snapshot ?? '') as Snapshot);
    // The service never sent a snapshot from the future, and it would skip events that are still to come.
    if (snapshot !== null && snapshot.end <= BigInt(present?.next ?? 0)) return beginningAt(snapshot);
    throw noSuchPosition(lastEventId);
  }
  const id = lastEventId.toLowerCase();
  const [found] = UUID.test(id) ? await findTransaction(context.db.em(), { ...reachOf(reader), id }) : [];
  if (found !== undefined) return { writtenIn: found.written_in, id, snapshot: null };
  throw noSuchPosition(lastEventId);
}

function noSuchPosition(lastEventId: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `Last-Event-ID: expected the id of an event that this key receives, of the last 30 days, and not "${lastEventId.slice(0, 80)}". Leave it out to begin with the next event.`,
  );
}

function beginningAt({ text, oldest }: Snapshot): FeedPosition {
  return { writtenIn: String(oldest), id: NO_ID, snapshot: text };
}

/** Whether the reader may still receive events. */
export async function canReadFeed(context: Context, { credentialId }: FeedReader): Promise<boolean> {
  const [row] = await checkCredential(context.db.em(), { credentialId, now: context.clock.now() });
  return row?.allowed ?? false;
}

/** Reads the next page from a position, and checks whether the reader may still receive events. */
export async function readFeed(context: Context, reader: FeedReader, from: FeedPosition): Promise<FeedPage> {
  const credential = { credentialId: reader.credentialId, now: context.clock.now() };
  const rows = await readEvents(context.db.em(), { ...reachOf(reader), ...from, ...credential });
  const isAllowed = rows[0]?.allowed ?? false;
  const found = rows.flatMap((row) => (isEvent(row) ? [row] : []));
  const last = found.at(-1);
  const position =
    found.length === FEED_PAGE && last !== undefined
      ? { ...from, writtenIn: last.written_in, id: last.id }
      : { ...from, writtenIn: rows[0]?.horizon ?? from.writtenIn, id: NO_ID };
  return { isAllowed, events: found.map(signedEvent), position };
}

function signedEvent({ id, name, mode, payload, created_at: queuedAt }: EventRow): SignedEvent {
  return { id, event: name, mode, body: eventBody({ eventId: id, event: name, queuedAt, payload }) };
}
