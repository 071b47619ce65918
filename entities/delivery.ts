/**
 * The delivery of one event to one webhook (docs/contract/webhooks.md#deliveries). Its id is the `eventId` that the
 * receiver sees (docs/contract/webhooks.md#deliveries).
 */
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { id, instant } from './columns.ts';
import { EVENT_NAMES } from './event.ts';
import { Webhook } from './webhook.ts';

export const DELIVERY_STATUSES = ['pending', 'processing', 'delivered', 'failed', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A finished attempt, as it is stored. */
export interface LoggedAttempt {
  /** From 1; starts again after a replay. */
  readonly attempt: number;
  /** ISO instant at which it began. */
  readonly at: string;
  readonly durationMs: number;
  /** Null when the receiver did not answer. */
  readonly statusCode: number | null;
  /** One line written by the service; null when the delivery succeeded. */
  readonly error: string | null;
}

export const Delivery = defineEntity({
  name: 'Delivery',
  tableName: 'deliveries',
  properties: {
    id: id(),
    webhookId: () => p.manyToOne(Webhook).mapToPk().fieldName('webhook_id'),
    /** The event to deliver; it may be removed before the delivery. Null for a test. */
    sourceId: p.uuid().strictNullable(),
    /**
     * The post, connection or webhook that the event is about; null for a test. Attempts at deliveries with the same
     * subject follow each other.
     */
    subjectId: p.uuid().strictNullable(),
    event: p.enum(EVENT_NAMES),
    /** Mode of the event, as in the header x-service-mode. */
    mode: p.enum(['live', 'test'] as const),
    /** The exact body of every attempt. */
    body: p.text(),
    status: p.enum(DELIVERY_STATUSES).default('pending'),
    /** Finished attempts; a replay starts again at 0. */
    attempts: p.integer().default(0),
    createdAt: instant(),
    nextAttemptAt: instant(),
    deliveredAt: instant().strictNullable(),
    deadAt: instant().strictNullable(),
    /** Status code of the latest attempt; null when the receiver did not answer. */
    lastStatusCode: p.integer().strictNullable(),
    /** One line written by the service, never text from the receiver. */
    lastError: p.text().strictNullable(),
    /** The latest attempts, oldest first, also those before a replay; null before the first. */
    attemptLog: p.json<LoggedAttempt[]>().strictNullable(),
    /** Webhook lease under which it is being attempted. */
    claim: p.uuid().strictNullable(),
    /** Whether it waits because its webhook is disabled. */
    paused: p.boolean().default(false),
  },
  uniques: [{ properties: ['sourceId', 'webhookId'] }],
  indexes: [
    { properties: ['webhookId', 'id'] },
    {
      name: 'deliveries_ended_index',
      expression: `create index "deliveries_ended_index" on "deliveries" ("webhook_id", "id") where ("status" in ('failed', 'dead'))`,
    },
    {
      name: 'deliveries_pending_index',
      expression: `create index "deliveries_pending_index" on "deliveries" ("webhook_id", "id") where ("status" = 'pending')`,
    },
    {
      name: 'deliveries_open_index',
      expression: `create index "deliveries_open_index" on "deliveries" ("webhook_id", "next_attempt_at", "id") where ("status" in ('pending', 'processing') and not "paused")`,
    },
    {
      name: 'deliveries_paused_index',
      expression: `create index "deliveries_paused_index" on "deliveries" ("webhook_id") where ("paused")`,
    },
    {
      name: 'deliveries_due_index',
      expression: `create index "deliveries_due_index" on "deliveries" ("next_attempt_at") where ("status" = 'pending' and not "paused")`,
    },
  ],
});
export type Delivery = InferEntity<typeof Delivery>;
