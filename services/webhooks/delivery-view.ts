/** A delivery in the wire format (docs/contract/webhooks.md#deliveries), and the columns it is built from. */
import type { DeliveryStatus } from '../../entities/delivery.ts';
import type { EventName } from '../../entities/event.ts';
import { columns } from '../../entities/column-lists.ts';
import type { Tables } from '../../entities/tables.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface DeliveryView {
  id: string;
  eventId: string;
  event: EventName;
  status: DeliveryStatus;
  attempts: number;
  createdAt: string;
  nextAttemptAt: string;
  deliveredAt: string | null;
  deadAt: string | null;
  lastStatusCode: number | null;
  lastError: string | null;
}

/** Names of the columns. */
export const DELIVERY_COLUMNS = [
  'id',
  'event',
  'status',
  'attempts',
  'created_at',
  'next_attempt_at',
  'delivered_at',
  'dead_at',
  'last_status_code',
  'last_error',
] as const;

/** The columns in hand-written statements, of `deliveries d`. */
export const DELIVERY = columns('deliveries', DELIVERY_COLUMNS, 'd');

export type DeliveryRow = Pick<Tables['deliveries'], (typeof DELIVERY_COLUMNS)[number]>;

export function deliveryView(row: DeliveryRow): DeliveryView {
  return {
    id: row.id,
    // The receiver sees a single id for a delivery (docs/contract/webhooks.md#deliveries).
    eventId: row.id,
    event: row.event,
    status: row.status,
    attempts: row.attempts,
    createdAt: timestamp(row.created_at),
    nextAttemptAt: timestamp(row.next_attempt_at),
    deliveredAt: timestampOrNull(row.delivered_at),
    deadAt: timestampOrNull(row.dead_at),
    lastStatusCode: row.last_status_code,
    lastError: row.last_error,
  };
}
