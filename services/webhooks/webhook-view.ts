/** A webhook as the wire shows it (spec: Webhook): everything but its secret. */
import { EVENT_NAMES, type EventName } from '../../entities/event.ts';
import type { Webhook } from '../../entities/webhook.ts';
import { timestamp } from '../timestamp.ts';

export interface WebhookView {
  id: string;
  url: string;
  events: EventName[];
  createdAt: string;
}

export function webhookView({ id, url, events, createdAt }: Webhook): WebhookView {
  const heard = events == null ? EVENT_NAMES : (events as EventName[]);
  return { id, url, events: [...heard], createdAt: timestamp(createdAt) };
}
