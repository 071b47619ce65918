/** Builds the headers of a delivery (docs/contract/webhooks.md#deliveries). Pure. */
import type { SignedEvent } from '../events/event-body.ts';
import { sign } from './sign.ts';

/**
 * Carries the signature made with the other secret for a day after a rotation, in the format of x-service-signature.
 */
const ALTERNATE_SIGNATURE = 'x-service-signature-alternate';

/** How an event is signed. */
export interface Signing {
  readonly secret: string;
  /** The other of the two secrets that are valid after a rotation; null or left out when there is only one. */
  readonly alternateSecret?: string | null;
  readonly now: Date;
  /** Version of the service that sends the delivery. */
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
