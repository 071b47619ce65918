/** What each event of a webhook means, for people. */
import type { Outputs } from '../../data/trpc.ts';

export type Webhook = Outputs['webhooks']['list']['webhooks'][number];
export type EventName = Webhook['events'][number];

export const EVENTS: Readonly<Record<EventName, string>> = {
  'post.sent': 'A post has reached its platform.',
  'post.failed': 'A post was not sent; the event says why.',
  'post.deleted': 'A sent post was taken down. Cancelling a scheduled one sends no event.',
  'post.rescheduled': 'The time of a waiting post changed; the event says why.',
  'post.metrics': 'The metrics of a post were read for the first time on a day.',
  'connection.created': 'An account was connected, or moved into a profile.',
  'connection.removed': 'An account was disconnected, or moved out of a profile.',
  'webhook.disabled': 'Another webhook was disabled, because every attempt failed for three days.',
};

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** Those that a webhook of an API call gets when it names none. */
export const USUAL_EVENTS: readonly EventName[] = EVENT_NAMES.filter((name) => name !== 'webhook.disabled');
