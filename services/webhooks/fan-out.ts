/** Creates the deliveries of events exactly once: an event is marked in the transaction that stores its deliveries. */
import { tryAdvisoryLock } from '../../entities/advisory-locks.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column, columns } from '../../entities/column-lists.ts';
import { orNull } from '../../entities/sql-types.ts';
import { type RecordOf, type RowOf, records, statement, unseenByPlanner } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { BODY_START, bodyEnd } from '../events/event-body.ts';
import { subscribedCondition } from '../events/subscribed-webhooks.ts';
import type { DirectDeliveries } from './direct-deliveries.ts';
import type { WebhookDispatcher } from './webhook-dispatcher.ts';

/** Most events in one transaction. */
export const FAN_OUT_MAX = 200;

const EVENT = columns('events', ['id', 'account_id', 'name', 'mode', 'subject_id', 'payload', 'created_at']);

const findEvents = statement('find events to fan out', {
  parameters: { atMost: 'int', except: 'uuid[]' },
  result: EVENT.types,
  sql: ({ atMost, except }) => `
    select ${EVENT.sql} from events where fanned_out_at is null and account_id <> all(${unseenByPlanner(except)})
    order by id limit ${unseenByPlanner(atMost)}`,
});

// Locks webhooks `for key share`: a deletion waits and then finds these deliveries. Webhook leases are not blocked. A webhook that
// another transaction changes or deletes is not waited for, because the events of all accounts would wait too; it has no
// revision here. The events are read first: with few statistics, PostgreSQL prefers to go from each webhook through all events that
// are newer.
const findSubscribers = statement('find the webhooks that are subscribed to events', {
  parameters: { eventIds: 'uuid[]', now: 'timestamptz' },
  result: {
    event_id: column('events', 'id'),
    account_id: column('events', 'account_id'),
    webhook_id: column('webhooks', 'id'),
    revision: orNull(column('webhooks', 'revision')),
    lease: column('webhooks', 'lease'),
  },
  sql: ({ eventIds, now }) => `
    with e as materialized (
      select id, account_id, profile_id, name, mode, subject_id from events where id = any(${unseenByPlanner(eventIds)})
    ), subscribed as materialized (
      select e.id as event_id, e.account_id, w.id as webhook_id from e
      join webhooks w on ${subscribedCondition({ id: 'e.id', accountId: 'e.account_id', profileId: 'e.profile_id', name: 'e.name', mode: 'e.mode', subjectId: 'e.subject_id' }, now)}
    ), locked as materialized (
      select w.id, w.revision, w.lease from webhooks w
      where w.id = any(array(select webhook_id from subscribed)) and w.deleted_at is null and w.disabled_at is null
      for key share skip locked
    )
    select s.event_id, s.account_id, s.webhook_id, l.revision, l.lease from subscribed s
    left join locked l on l.id = s.webhook_id order by s.webhook_id, s.event_id`,
});

// What all deliveries of an event have in common is passed once: their bodies differ in the id alone.
const SOURCES = records({
  source_id: 'uuid',
  ...columns('deliveries', ['subject_id', 'event', 'mode', 'created_at']).types,
  body_end: 'text',
});
const CREATED = records({ source_id: 'uuid', ...columns('deliveries', ['id', 'webhook_id', 'status', 'claim']).types });

const storeDeliveries = statement('store the deliveries of events', {
  parameters: { sources: SOURCES, created: CREATED },
  result: { id: 'uuid' },
  sql: ({ sources, created }) => `
    with source as (
      select * from ${sources}
    ), stored as (
      insert into deliveries
        (id, webhook_id, source_id, subject_id, event, mode, body, created_at, next_attempt_at, status, claim)
      select id, webhook_id, source_id, subject_id, event, mode, '${BODY_START}' || id::text || body_end, created_at, created_at,
        status, claim
      from ${created} join source using (source_id)
      on conflict (source_id, webhook_id) do nothing returning id, claim
    ) select id from stored where claim is not null`,
});

const markFannedOut = statement('mark events as fanned out', {
  parameters: { eventIds: 'uuid[]', at: 'timestamptz' },
  sql: ({ eventIds, at }) => `update events set fanned_out_at = ${at} where id = any(${unseenByPlanner(eventIds)})`,
});

/** What one transaction did. */
export interface FannedOut {
  /** How many events; 0 when none is pending or another process holds the lock. */
  readonly events: number;
  /** How many deliveries were handed to leases. */
  readonly begun: number;
  /** How many deliveries have to be claimed. */
  readonly waiting: number;
  /** Accounts whose events are left for later, all of them to keep their order: a webhook of theirs is being changed. */
  readonly left: readonly string[];
}

/** Which events are fanned out. */
interface FanOutLimits {
  /** Most events, up to FAN_OUT_MAX, which is the default. */
  readonly atMost?: number;
  /** Accounts whose events are left for later. */
  readonly except?: readonly string[];
}

/** @param dispatcher takes deliveries that need not wait; without one they are all claimed later */
export async function fanOut(
  context: Context,
  dispatcher?: WebhookDispatcher,
  limits: FanOutLimits = {},
): Promise<FannedOut> {
  const direct = dispatcher?.direct() ?? null;
  // What it has handed to leases must not be handed to them twice.
  const { events, created, claimed, left } = await context.db
    .em({ once: true })
    .transactional((em: SqlEntityManager) => store(context, em, direct, limits))
    .catch((error: unknown) => {
      direct?.giveUp(error);
      throw error;
    });
  const begun = direct?.begin(new Set(claimed)) ?? 0;
  return { events, begun, waiting: created - begun, left };
}

interface Stored {
  readonly events: number;
  readonly created: number;
  /** Ids of the deliveries that were stored as claimed. */
  readonly claimed: readonly string[];
  readonly left: readonly string[];
}

async function store(
  context: Context,
  em: SqlEntityManager,
  direct: DirectDeliveries | null,
  { atMost = FAN_OUT_MAX, except = [] }: FanOutLimits,
): Promise<Stored> {
  const isMine = await tryAdvisoryLock(em, 'fanOut');
  const found = isMine ? await findEvents(em, { atMost, except }) : [];
  const now = context.clock.now();
  const rows = found.length === 0 ? [] : await findSubscribers(em, { eventIds: found.map(({ id }) => id), now });
  const left = new Set(rows.filter(({ revision }) => revision === null).map(({ account_id }) => account_id));
  const events = found.filter(({ account_id }) => !left.has(account_id));
  if (events.length === 0) return { events: 0, created: 0, claimed: [], left: [...left] };
  const eventIds = events.map(({ id }) => id);
  const subscribers = rows.flatMap(({ account_id, revision, ...row }) =>
    revision === null || left.has(account_id) ? [] : [{ ...row, revision }],
  );
  const webhooks = new Map(subscribers.map((row) => [row.webhook_id, { ...row, id: row.webhook_id }]));
  await direct?.open(em, [...webhooks.values()]);
  const sources = new Map(events.map((event) => [event.id, sourceOf(event)]));
  const ofEvent = Map.groupBy(subscribers, ({ event_id }) => event_id);
  // Event by event, so that the deliveries of one webhook do not fill all leases.
  const created = [...sources].flatMap(([id, source]) =>
    (ofEvent.get(id) ?? []).map(({ webhook_id }) => deliveryOf(context, source, webhook_id, direct)),
  );
  const claimed = await storeDeliveries(em, { sources: [...sources.values()], created });
  await markFannedOut(em, { eventIds, at: now });
  return { events: events.length, created: created.length, claimed: claimed.map(({ id }) => id), left: [...left] };
}

function sourceOf({ id, name: event, mode, subject_id, payload, created_at }: RowOf<typeof findEvents>) {
  const body_end = bodyEnd({ event, queuedAt: created_at, payload });
  return { source_id: id, subject_id, event, mode, created_at, body_end };
}

function deliveryOf(
  context: Context,
  { source_id, subject_id, event, mode, body_end }: RecordOf<typeof SOURCES>,
  webhookId: string,
  direct: DirectDeliveries | null,
): RecordOf<typeof CREATED> {
  const id = context.random.uuid();
  const delivery = { id, subject_id: subject_id ?? null, event, mode, body: BODY_START + id + body_end, attempts: 0 };
  const claim = direct?.claimFor(webhookId, delivery) ?? null;
  return { id, webhook_id: webhookId, source_id, status: claim === null ? 'pending' : 'processing', claim };
}
