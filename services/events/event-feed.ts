/**
 * Reads the events of a key or a person in a stable order: by the transaction that wrote them. An event is returned only once its
 * transaction and all earlier ones are over. Ids cannot be the position of a reader: many processes generate them
 * before the commit.
 */
import { column, columns } from '../../entities/column-lists.ts';
import { orNull } from '../../entities/sql-types.ts';
import { statement } from '../../entities/statement.ts';
import { DEFAULT_EVENT_NAMES, type EventName } from '../../entities/event.ts';
import type { Tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { eventBody, type SignedEvent } from './event-body.ts';
import {
  hasGaps,
  readEventPosition,
  readPosition,
  readSnapshot,
  type Snapshot,
  snapshotFrom,
  writeEventPosition,
  writePosition,
} from './snapshot.ts';

/** Whose events are read, and what must stay valid meanwhile. */
export interface FeedReader extends Pick<Caller, 'accountId' | 'profileId' | 'mode'> {
  /** Id of the API key, the OAuth grant or the sign-in. */
  readonly credentialId: string;
  /** When the access token expires; absent for keys and sign-ins, whose end is in the database. */
  readonly expiresAt?: Date | undefined;
  /** Events to read; those of a webhook that names none when absent. */
  readonly names?: readonly EventName[] | undefined;
}

/** An event with its payload, for readers that look into it. */
export interface FeedEvent extends SignedEvent {
  /** What the reader sends to continue after it: its id, with the snapshot of the start while that is still needed. */
  readonly position: string;
  /** Id of the post, connection, webhook or feed that it is about. */
  readonly subjectId: string;
  readonly payload: JsonObject;
}

/** Position of a reader. */
export interface FeedPosition {
  /** The reader has everything up to this transaction and, within it, up to this id. */
  readonly writtenIn: string;
  readonly id: string;
  /** Transactions that were over at the start, whose events are skipped; null when none is left to skip. */
  readonly snapshot: string | null;
}

/** Result of one read. */
export interface FeedPage {
  /** False once the key or grant is revoked or the token or sign-in has ended; the page then has no events. */
  readonly isAllowed: boolean;
  readonly events: readonly FeedEvent[];
  readonly position: FeedPosition;
}

/**
 * Days that a reader may be away. Events are kept for {@link EVENTS_KEPT_DAYS}, a day more, so that none is removed while it is
 * replayed.
 */
export const REPLAY_DAYS = 29;
export const EVENTS_KEPT_DAYS = 30;
const DAY_MS = 86_400_000;

/** Most events in one page. */
export const FEED_PAGE = 100;

const NO_ID = '00000000-0000-0000-0000-000000000000';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const CREDENTIAL = { credentialId: 'uuid', now: column('sign_ins', 'expires_at') } as const;

/** Parameters of {@link isInReach}. */
export const REACH = { accountId: 'uuid', profileId: 'uuid?', mode: column('events', 'mode') } as const;

/**
 * docs/contract/webhooks.md#which-events-a-webhook-gets: the reach of a key, as SQL on `e`; a null profile is the whole
 * account.
 */
export const isInReach = ({ accountId, profileId, mode }: Readonly<Record<keyof typeof REACH, string>>) => `
  e.account_id = ${accountId} and (${profileId} is null or e.profile_id = ${profileId})
  and (${mode} = 'live' or e.mode = 'test')`;

/**
 * Whether a key is neither revoked nor expired, a grant is active as in `services/oauth/admit-grant.ts`, or a sign-in has not
 * ended, as SQL. All their ids are UUIDs, so each matches one of them. Every role reads events.
 */
const isActive = ({ credentialId, now }: Readonly<Record<keyof typeof CREDENTIAL, string>>) => `(
  exists (select 1 from api_keys k where k.id = ${credentialId} and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > ${now}))
  or exists (select 1 from oauth_grants g join owners o on o.id = g.owner_id left join profiles p on p.id = g.profile_id
    where g.id = ${credentialId} and g.revoked_at is null and p.deleted_at is null)
  or exists (select 1 from sign_ins s where s.id = ${credentialId} and s.expires_at > ${now}))`;

const readPresent = statement('read the present snapshot', {
  result: { snapshot: 'text', next: 'text' },
  sql: () => `
    select pg_current_snapshot()::text as snapshot, pg_snapshot_xmax(pg_current_snapshot())::text as next`,
});

const findTransaction = statement('find the transaction that wrote an event', {
  parameters: { ...REACH, names: 'text[]', id: 'uuid', since: column('events', 'created_at') },
  result: { written_in: column('events', 'written_in') },
  sql: ({ names, id, since, ...reach }) => `
    select e.written_in from events e
    where ${isInReach(reach)} and e.name = any(${names}) and e.id = ${id} and e.created_at >= ${since}`,
});

const checkCredential = statement('check whether a key, a grant or a sign-in is active', {
  parameters: CREDENTIAL,
  result: { allowed: 'boolean' },
  sql: (credential) => `select ${isActive(credential)} as allowed`,
});

const EVENT = columns('events', ['id', 'name', 'mode', 'subject_id', 'payload', 'created_at', 'written_in'], 'e');

type EventRow = Pick<Tables['events'], keyof typeof EVENT.types>;

// One statement has one snapshot: everything below its horizon is complete and does not change.
const readEvents = statement('read the events of a reader after a position', {
  parameters: { ...REACH, ...CREDENTIAL, names: 'text[]', writtenIn: 'xid8', id: 'uuid', snapshot: 'text?' },
  result: {
    horizon: 'text',
    allowed: 'boolean',
    // Null when there is no event, like all following columns.
    id: orNull(EVENT.types.id),
    name: orNull(EVENT.types.name),
    mode: orNull(EVENT.types.mode),
    subject_id: orNull(EVENT.types.subject_id),
    payload: orNull(EVENT.types.payload),
    created_at: orNull(EVENT.types.created_at),
    written_in: orNull(EVENT.types.written_in),
  },
  sql: ({ names, writtenIn, id, snapshot, credentialId, now, ...reach }) => `
    select h.horizon::text as horizon, h.allowed, e.*
    from (select pg_snapshot_xmin(pg_current_snapshot()) as horizon, ${isActive({ credentialId, now })} as allowed) h
    left join lateral (
      select ${EVENT.sql} from events e
      where ${isInReach(reach)} and e.name = any(${names}) and h.allowed and (e.written_in, e.id) > (${writtenIn}, ${id}) and e.written_in < h.horizon
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

function filterOf(reader: FeedReader) {
  return { ...reachOf(reader), names: [...(reader.names ?? DEFAULT_EVENT_NAMES)] };
}

function isEvent(row: Nullable<EventRow>): row is EventRow {
  return row.id !== null;
}

type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null };

/**
 * Finds the start position: the present, after the last received event, or at an earlier position.
 *
 * @param lastEventId the position of an event, or the text of another; undefined for the present
 * @throws ServiceError invalid_request when the reader cannot receive that event, or was away for longer than {@link REPLAY_DAYS}
 */
export async function feedPosition(
  context: Context,
  reader: FeedReader,
  lastEventId: string | undefined,
): Promise<FeedPosition> {
  const since = new Date(context.clock.now().getTime() - REPLAY_DAYS * DAY_MS);
  const earlier = lastEventId === undefined ? null : readPosition(lastEventId);
  if (lastEventId === undefined || earlier !== null) {
    const [present] = await readPresent(context.db.queries);
    if (lastEventId === undefined) return beginningAt(readSnapshot(present?.snapshot ?? '') as Snapshot);
    if (earlier !== null && isPast(earlier.snapshot, present?.next) && earlier.at >= since)
      return beginningAt(earlier.snapshot);
    throw noSuchPosition(lastEventId);
  }
  const position = await positionAfterEvent(context, reader, lastEventId, since);
  if (position === null) throw noSuchPosition(lastEventId);
  return position;
}

async function positionAfterEvent(
  { db: { queries } }: Context,
  reader: FeedReader,
  lastEventId: string,
  since: Date,
): Promise<FeedPosition | null> {
  const { id, snapshot } = readEventPosition(lastEventId) ?? { id: '', snapshot: null };
  const [found] = UUID.test(id) ? await findTransaction(queries, { ...filterOf(reader), id, since }) : [];
  if (found === undefined) return null;
  const position = { writtenIn: found.written_in, id, snapshot: snapshot?.text ?? null };
  if (snapshot === null) return position;
  const [present] = await readPresent(queries);
  return String(snapshot.oldest) === found.written_in && isPast(snapshot, present?.next) ? position : null;
}

/** The service never sent a snapshot from the future, and it would skip events that are still to come. */
function isPast({ end }: Snapshot, next = '0'): boolean {
  return end <= BigInt(next);
}

function noSuchPosition(lastEventId: string): ServiceError {
  return new ServiceError(
    'invalid_request',
    `Last-Event-ID: expected the last id that this stream sent, of the last ${REPLAY_DAYS} days, and not "${lastEventId.slice(0, 80)}". Leave it out to begin with the next event, and read what was missed with GET /posts.`,
  );
}

function beginningAt({ text, oldest }: Snapshot): FeedPosition {
  return { writtenIn: String(oldest), id: NO_ID, snapshot: text };
}

/**
 * A position as text, from which a reader can continue although it has received no event for long; null after an event,
 * which has a position.
 */
export function positionText(context: Context, { writtenIn, id, snapshot }: FeedPosition): string | null {
  if (id !== NO_ID) return null;
  const rest = startAfter(snapshot, writtenIn);
  return writePosition({ snapshot: rest?.text ?? `${writtenIn}:${writtenIn}:`, at: context.clock.now() });
}

/** What of the snapshot of the start still matters from a transaction on; null when nothing does. */
function startAfter(snapshot: string | null, writtenIn: string): Snapshot | null {
  const start = snapshot === null ? null : readSnapshot(snapshot);
  if (start === null) return null;
  const rest = snapshotFrom(start, BigInt(writtenIn));
  return hasGaps(rest) ? rest : null;
}

/** Whether the reader may still receive events. */
export async function canReadFeed(context: Context, { credentialId, expiresAt }: FeedReader): Promise<boolean> {
  if (isOver(context, expiresAt)) return false;
  const [row] = await checkCredential(context.db.queries, { credentialId, now: context.clock.now() });
  return row?.allowed ?? false;
}

function isOver({ clock }: Context, expiresAt: Date | undefined): boolean {
  return expiresAt !== undefined && expiresAt <= clock.now();
}

/** Reads the next page from a position, and checks whether the reader may still receive events. */
export async function readFeed(context: Context, reader: FeedReader, from: FeedPosition): Promise<FeedPage> {
  if (isOver(context, reader.expiresAt)) return { isAllowed: false, events: [], position: from };
  const credential = { credentialId: reader.credentialId, now: context.clock.now() };
  const rows = await readEvents(context.db.queries, { ...filterOf(reader), ...from, ...credential });
  const isAllowed = rows[0]?.allowed ?? false;
  const found = rows.flatMap((row) => (isEvent(row) ? [row] : []));
  return {
    isAllowed,
    events: found.map((row) => feedEvent(row, from)),
    position: positionAfter(from, found, rows[0]?.horizon),
  };
}

function positionAfter(from: FeedPosition, found: readonly EventRow[], horizon = from.writtenIn): FeedPosition {
  const last = found.at(-1);
  if (found.length === FEED_PAGE && last !== undefined) return { ...from, writtenIn: last.written_in, id: last.id };
  // A reader that continues after an event may be ahead of the horizon, while an earlier transaction is still running.
  // Its position must not move back: it would receive that event again.
  return BigInt(horizon) > BigInt(from.writtenIn) ? { ...from, writtenIn: horizon, id: NO_ID } : from;
}

function feedEvent(row: EventRow, { snapshot }: FeedPosition): FeedEvent {
  const { id, name, mode, subject_id: subjectId, payload, created_at: queuedAt } = row;
  const position = writeEventPosition(id, startAfter(snapshot, row.written_in));
  const body = eventBody({ eventId: id, event: name, queuedAt, payload });
  return { id, position, event: name, mode, body, subjectId, payload };
}
