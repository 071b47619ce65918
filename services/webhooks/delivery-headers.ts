/** The headers that an event is posted with (docs/contract/webhooks.md#deliveries). Pure. */
import type { EventName } from '../../entities/event.ts';
import { sign } from './sign.ts';

/** Carries the signature with the other secret for a day after a rotation, in the form of x-service-signature. */
const ALTERNATE_SIGNATURE = 'x-service-signature-alternate';

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
  /** The other of two secrets that are good after a rotation; null or left out when there is one. */
  readonly alternateSecret?: string | null;
  readonly now: Date;
  /** Version of the service that posts. */
  readonly version: string;
}

export function deliveryHeaders(
  { id, event, mode, body }: SignedEvent,
  { secret, alternateSecret, now, version }: Signing,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': `Carillon/${version}`,
    'x-service-event': event,
    'x-service-event-id': id,
    'x-service-delivery': id,
    'x-service-mode': mode,
    'x-service-signature': sign(body, secret, now),
    ...(typeof alternateSecret === 'string' && { [ALTERNATE_SIGNATURE]: sign(body, alternateSecret, now) }),
  };
}
