/** An event, stored in the transaction that caused it (docs/contract/webhooks.md#events). */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import type { JsonObject } from '../platforms/contract.ts';
import { Account } from './account.ts';
import { id, instant } from './columns.ts';

/** Events of webhooks that do not name any. */
export const DEFAULT_EVENT_NAMES = [
  'post.sent',
  'post.failed',
  'post.deleted',
  'post.metrics',
  'post.rescheduled',
  'connection.created',
  'connection.removed',
] as const;

/**
 * Events added later: only webhooks that name them receive them, because others do not expect them
 * (docs/contract/webhooks.md#events).
 */
const OPT_IN_EVENT_NAMES = [
  'webhook.disabled',
  'feed.disabled',
  'post.approval_requested',
  'post.approved',
  'post.rejected',
  'post.approval_expired',
] as const;

export const EVENT_NAMES = [...DEFAULT_EVENT_NAMES, ...OPT_IN_EVENT_NAMES] as const;
export type EventName = (typeof EVENT_NAMES)[number];

export const Event = defineEntity({
  name: 'Event',
  tableName: 'events',
  properties: {
    id: id(),
    accountId: () => p.manyToOne(Account).mapToPk().fieldName('account_id'),
    profileId: p.uuid().strictNullable(),
    name: p.enum(EVENT_NAMES),
    /** Mode of the key that caused it. */
    mode: p.enum(['live', 'test'] as const),
    /** The post, connection, webhook or feed that it is about. */
    subjectId: p.uuid(),
    /** `{ post: … }`, `{ connection: … }` and so on, as documented for this event. */
    payload: p.json<JsonObject>(),
    createdAt: instant(),
    /** When its deliveries were created; null until then. Set from the start when no webhook is subscribed to it. */
    fannedOutAt: instant().strictNullable(),
    /** Id of the transaction that wrote it, which only the database knows. */
    writtenIn: p.text().columnType('xid8').defaultRaw('pg_current_xact_id()'),
  },
  indexes: [
    { properties: ['accountId', 'id'] },
    { properties: ['accountId', 'writtenIn', 'id'] },
    { properties: ['subjectId'] },
    {
      name: 'events_waiting_index',
      expression: `create index "events_waiting_index" on "events" ("id") where ("fanned_out_at" is null)`,
    },
  ],
});
export type Event = InferEntity<typeof Event>;
