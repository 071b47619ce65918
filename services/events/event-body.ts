/** Builds the body of a delivery, as it is stored and posted (docs/contract/webhooks.md#events). */
import type { EventName } from '../../entities/event.ts';
import type { JsonObject } from '../../platforms/contract.ts';
import { timestamp } from '../timestamp.ts';

export interface EventBody {
  /** Id of the delivery. */
  readonly eventId: string;
  readonly event: EventName;
  /** When the delivery was queued. */
  readonly queuedAt: Date | string;
  /** `{ post: … }` and so on, as documented for the event (docs/contract/webhooks.md#events). */
  readonly payload: JsonObject;
  /** True on the synthetic delivery of a test; absent otherwise. */
  readonly test?: true;
}

/** An event to post to a receiver. */
export interface SignedEvent {
  /** Id of the event that the receiver sees. */
  readonly id: string;
  readonly event: EventName;
  readonly mode: 'live' | 'test';
  /** The exact body of the request. */
  readonly body: string;
}

export function eventBody({ eventId, ...rest }: EventBody): string {
  return `${BODY_START}${eventId}${bodyEnd(rest)}`;
}

/** What precedes the id of the delivery in every body. */
export const BODY_START = '{"eventId":"';

/** What follows the id of the delivery: the same for all deliveries of an event. */
export function bodyEnd({ event, queuedAt, payload, test }: Omit<EventBody, 'eventId'>): string {
  const fields = { event, timestamp: timestamp(queuedAt), ...(test && { test }), ...payload };
  return `",${JSON.stringify(fields).slice(1)}`;
}
