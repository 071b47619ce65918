/** A delivery in the wire format (docs/contract/webhooks.md#deliveries), and the columns it is built from. */
import type { DeliveryStatus } from '../../entities/delivery.ts';
import type { EventName } from '../../entities/event.ts';
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

export interface DeliveryRow {
  id: string;
  event: EventName;
  status: DeliveryStatus;
  attempts: number;
  created_at: string;
  next_attempt_at: string;
  delivered_at: string | null;
  dead_at: string | null;
  last_status_code: number | null;
  last_error: string | null;
}

export const DELIVERY_COLUMNS = `id, event, status, attempts, created_at, next_attempt_at, delivered_at, dead_at,
  last_status_code, last_error`;

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
