/** A webhook in the wire format (docs/contract/webhooks.md#webhooks-of-a-caller): everything except its secret. */
import { DEFAULT_EVENT_NAMES, type EventName } from '../../entities/event.ts';
import type { DisabledReason, Webhook } from '../../entities/webhook.ts';
import { timestamp, timestampOrNull } from '../timestamp.ts';

export interface WebhookView {
  id: string;
  url: string;
  events: EventName[];
  description: string | null;
  enabled: boolean;
  /** Null while the webhook is enabled, as is the reason. */
  disabledAt: string | null;
  disabledReason: DisabledReason | null;
  createdAt: string;
}

export function webhookView(webhook: Webhook): WebhookView {
  const { id, url, events, description, disabledAt, disabledReason, createdAt } = webhook;
  return {
    id,
    url,
    events: [...((events as EventName[] | null | undefined) ?? DEFAULT_EVENT_NAMES)],
    description: description ?? null,
    enabled: disabledAt == null,
    disabledAt: timestampOrNull(disabledAt ?? null),
    disabledReason: disabledReason ?? null,
    createdAt: timestamp(createdAt),
  };
}
