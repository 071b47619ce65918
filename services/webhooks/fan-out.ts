/** Creates the deliveries of events exactly once: an event is marked in the transaction that stores its deliveries. */
import { tryAdvisoryLock } from '../../entities/advisory-locks.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { column, columns } from '../../entities/column-lists.ts';
import { type RecordOf, type RowOf, records, statement, unseenByPlanner } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { eventBody } from '../events/event-body.ts';
import { subscribedCondition } from '../events/subscribed-webhooks.ts';
import type { DirectDeliveries } from './direct-deliveries.ts';
import type { WebhookDispatcher } from './webhook-dispatcher.ts';

/** Most events in one transaction. */
const AT_ONCE = 200;

const EVENT = columns('events', ['id', 'name', 'mode', 'subject_id', 'payload', 'created_at']);

const findEvents = statement('find events to fan out', {
  result: EVENT.types,
  sql: () => `select ${EVENT.sql} from events where fanned_out_at is null order by id limit ${AT_ONCE}`,
});

// Locks webhooks `for key share`: a deletion waits and then finds these deliveries. Webhook leases are not blocked.
const findSubscribers = statement('find the webhooks that are subscribed to events', {
  parameters: { eventIds: 'uuid[]' },
  result: {
    event_id: column('events', 'id'),
    webhook_id: column('webhooks', 'id'),
    ...columns('webhooks', ['revision', 'lease']).types,
  },
  sql: ({ eventIds }) => `
    select e.id as event_id, w.id as webhook_id, w.revision, w.lease from events e
    join webhooks w on ${subscribedCondition({ id: 'e.id', accountId: 'e.account_id', profileId: 'e.profile_id', name: 'e.name', mode: 'e.mode', subjectId: 'e.subject_id' })}
    where e.id = any(${unseenByPlanner(eventIds)}) order by e.id, w.id for key share of w`,
});

const CREATED = columns('deliveries', [
  'id',
  'webhook_id',
  'source_id',
  'subject_id',
  'event',
  'mode',
  'body',
  'created_at',
  'status',
  'claim',
]);
const CREATED_RECORDS = records(CREATED.types);

const storeDeliveries = statement('store the deliveries of events', {
  parameters: { created: CREATED_RECORDS },
  result: { id: 'uuid' },
  sql: ({ created }) => `
    with stored as (
      insert into deliveries (${CREATED.names}, next_attempt_at)
      select ${CREATED.names}, created_at from ${created}
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
}

/** @param dispatcher takes deliveries that need not wait; without one they are all claimed later */
export async function fanOut(context: Context, dispatcher?: WebhookDispatcher): Promise<FannedOut> {
  const direct = dispatcher?.direct() ?? null;
  const { events, stored } = await context.db
    .em()
    .transactional((em: SqlEntityManager) => store(context, em, direct))
    .catch((error: unknown) => {
      direct?.giveUp(error);
      throw error;
    });
  return { events, begun: direct?.begin(new Set(stored)) ?? 0 };
}

/** @returns how many events, and the ids of the deliveries that were stored as claimed */
async function store(
  context: Context,
  em: SqlEntityManager,
  direct: DirectDeliveries | null,
): Promise<{ events: number; stored: string[] }> {
  const events = (await tryAdvisoryLock(em, 'fanOut')) ? await findEvents(em) : [];
  if (events.length === 0) return { events: 0, stored: [] };
  const eventIds = events.map(({ id }) => id);
  const byId = new Map(events.map((event) => [event.id, event]));
  const subscribers = await findSubscribers(em, { eventIds });
  const webhooks = new Map(subscribers.map((row) => [row.webhook_id, { ...row, id: row.webhook_id }]));
  await direct?.open(em, [...webhooks.values()]);
  const created = subscribers.flatMap(({ event_id, webhook_id }) => {
    const event = byId.get(event_id);
    return event === undefined ? [] : [deliveryOf(context, event, webhook_id, direct)];
  });
  const stored = await storeDeliveries(em, { created });
  await markFannedOut(em, { eventIds, at: context.clock.now() });
  return { events: events.length, stored: stored.map(({ id }) => id) };
}

function deliveryOf(
  context: Context,
  { id: sourceId, name: event, mode, subject_id, payload, created_at }: RowOf<typeof findEvents>,
  webhookId: string,
  direct: DirectDeliveries | null,
): RecordOf<typeof CREATED_RECORDS> {
  const id = context.random.uuid();
  const queuedAt = new Date(created_at);
  const body = eventBody({ eventId: id, event, queuedAt, payload });
  const delivery = { id, subject_id, event, mode, body, attempts: 0 };
  const claim = direct?.claimFor(webhookId, delivery) ?? null;
  const status = claim === null ? 'pending' : 'processing';
  const stored = { webhook_id: webhookId, source_id: sourceId, created_at: queuedAt, status, claim } as const;
  return { id, subject_id, event, mode, body, ...stored };
}
