/** The headers that an event is posted with (spec: Delivery headers). Pure. */
import type { EventName } from '../../entities/event.ts';
import { sign } from './sign.ts';

/** An event on its way to a receiver. */
export interface SignedEvent {
  /** Id of the event as its receiver knows it. */
  readonly id: string;
  readonly event: EventName;
  readonly mode: 'live' | 'test';
  /** Exactly what is posted. */
  readonly body: string;
}

/** How an event is signed. */
export interface Signing {
  readonly secret: string;
  readonly now: Date;
  /** Version of the service that posts. */
  readonly version: string;
}

export function deliveryHeaders(
  { id, event, mode, body }: SignedEvent,
  { secret, now, version }: Signing,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `Carillon/${version}`,
    'x-service-event': event,
    'x-service-event-id': id,
    'x-service-delivery': id,
    'x-service-mode': mode,
    'x-service-signature': sign(body, secret, now),
  };
}
