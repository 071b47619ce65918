/**
 * Lists the events of a post, newest first, with the deliveries of each. A caller sees the events that its webhooks could
 * get, also those that a webhook has to name, and only deliveries to webhooks that it manages (docs/contract/webhooks.md#which-events-a-webhook-gets).
 */
import { column, columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { LoggedAttempt } from '../../entities/delivery.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { isInReach, REACH, reachOf } from '../events/event-feed.ts';
import { pageOf } from '../paging.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';
import { findPost } from './find-post.ts';

/** One page of events. */
export interface EventPage {
  /** 1 to 50. */
  readonly limit: number;
  /** Id of an event: the page starts with the events older than it. */
  readonly cursor?: string | undefined;
}

const EVENT = columns('events', ['id', 'name', 'mode', 'created_at'], 'e');

const listEventsOf = statement('list the events of a post', {
  parameters: { ...REACH, postId: 'uuid', before: 'uuid?', limit: 'int' },
  result: EVENT.types,
  sql: ({ postId, before, limit, ...reach }) => `
    select ${EVENT.sql} from events e
    where ${isInReach(reach)} and e.subject_id = ${postId} and (${before} is null or e.id < ${before})
    order by e.id desc limit ${limit}`,
});

const DELIVERY = columns(
  'deliveries',
  ['id', 'source_id', 'webhook_id', 'status', 'attempts', 'next_attempt_at', 'last_status_code', 'attempt_log'],
  'd',
);

// Webhooks that the caller manages: the reach of services/webhooks/reachable-webhooks.ts.
const listDeliveriesOf = statement('list the deliveries of events', {
  parameters: { ...REACH, eventIds: 'uuid[]' },
  result: { ...DELIVERY.types, url: column('webhooks', 'url') },
  sql: ({ accountId, profileId, mode, eventIds }) => `
    select ${DELIVERY.sql}, w.url from deliveries d join webhooks w on w.id = d.webhook_id
    where d.source_id = any(${eventIds}) and w.account_id = ${accountId} and w.deleted_at is null
      and (${profileId} is null or w.profile_id = ${profileId}) and (${mode} = 'live' or w.mode = 'test')
    order by d.id`,
});

/** @throws ServiceError not_found for an unknown or foreign post */
export async function listEvents(context: Context, caller: Caller, postId: string, { limit, cursor }: EventPage) {
  const post = await findPost(context, caller, postId);
  const reach = reachOf(caller);
  const em = context.db.em();
  const found = await listEventsOf(em, { ...reach, postId: post.id, before: cursor ?? null, limit: limit + 1 });
  const { items, nextCursor } = pageOf(found, limit);
  const rows = items.length === 0 ? [] : await listDeliveriesOf(em, { ...reach, eventIds: items.map(({ id }) => id) });
  const ofEvent = Map.groupBy(rows, (row) => row.source_id);
  const events = items.map(({ id, name, mode, created_at: createdAt }) => ({
    id,
    event: name,
    mode,
    createdAt: timestamp(createdAt),
    deliveries: (ofEvent.get(id) ?? []).map(deliveryOf),
  }));
  return { events, nextCursor };
}

function deliveryOf(row: Awaited<ReturnType<typeof listDeliveriesOf>>[number]) {
  const log = row.attempt_log as LoggedAttempt[] | null;
  return {
    id: row.id,
    webhookId: row.webhook_id,
    url: row.url,
    status: row.status,
    attempts: row.attempts,
    lastStatusCode: row.last_status_code,
    lastAttemptAt: timestampOrNull(log?.at(-1)?.at ?? null),
    nextAttemptAt: row.status === 'pending' ? timestamp(row.next_attempt_at) : null,
  };
}
