/** Creates the deliveries of events exactly once: an event is marked in the transaction that stores its deliveries. */
import { ADVISORY_LOCKS } from '../../entities/advisory-locks.ts';
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { EventName } from '../../entities/event.ts';
import { query } from '../../entities/query.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import type { Context } from '../context.ts';
import { eventBody } from './event-body.ts';
import { subscribedCondition } from './subscribed-webhooks.ts';

/** Most events in one transaction. */
const AT_ONCE = 200;

interface EventRow {
  id: string;
  name: EventName;
  mode: 'live' | 'test';
  payload: JsonObject;
  created_at: string;
}

const EVENTS = `
  select id, name, mode, payload, created_at from events where fanned_out_at is null order by id limit ${AT_ONCE}`;

// Locks webhooks `for key share`: a deletion waits and then finds these deliveries. Webhook leases are not blocked.
const SUBSCRIBED = `
  select e.id as event_id, w.id as webhook_id from events e
  join webhooks w on ${subscribedCondition({ id: 'e.id', accountId: 'e.account_id', profileId: 'e.profile_id', name: 'e.name', mode: 'e.mode', subjectId: 'e.subject_id' })}
  where e.id = any($1::uuid[]) order by e.id, w.id for key share of w`;

const STORE = `
  insert into deliveries (id, webhook_id, source_id, event, mode, body, created_at, next_attempt_at)
  select id, "webhookId", "sourceId", event, mode, body, "createdAt", "createdAt" from jsonb_to_recordset($1::jsonb) as i(
    id uuid, "webhookId" uuid, "sourceId" uuid, event text, mode text, body text, "createdAt" timestamptz)
  on conflict (source_id, webhook_id) do nothing`;

const MARK = 'update events set fanned_out_at = $2 where id = any($1::uuid[])';

/** @returns how many events were fanned out; 0 when none is pending or another process holds the lock */
export function fanOut(context: Context): Promise<number> {
  return context.db.em().transactional(async (em: SqlEntityManager) => {
    const lock = 'select pg_try_advisory_xact_lock($1) as held';
    const [{ held } = { held: false }] = await query<{ held: boolean }>(em, lock, [ADVISORY_LOCKS.fanOut]);
    const events = held ? await query<EventRow>(em, EVENTS) : [];
    if (events.length === 0) return 0;
    const ids = events.map(({ id }) => id);
    const subscribers = await query<{ event_id: string; webhook_id: string }>(em, SUBSCRIBED, [ids]);
    const byId = new Map(events.map((event) => [event.id, event]));
    const deliveries = subscribers.map((subscriber) => {
      const event = byId.get(subscriber.event_id) as EventRow;
      return deliveryOf(context, event, subscriber.webhook_id);
    });
    await query(em, STORE, [JSON.stringify(deliveries)]);
    await query(em, MARK, [ids, context.clock.now()]);
    return events.length;
  });
}

function deliveryOf(context: Context, event: EventRow, webhookId: string): JsonObject {
  const id = context.random.uuid();
  const { name, mode, payload } = event;
  const createdAt = new Date(event.created_at);
  return {
    id,
    webhookId,
    sourceId: event.id,
    event: name,
    mode,
    body: eventBody({ eventId: id, event: name, queuedAt: createdAt, payload }),
    createdAt: createdAt.toISOString(),
  };
}
