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
  'post.approval_requested': 'A post waits for the approval of a person.',
  'post.approved': 'A person approved a post.',
  'post.rejected': 'A person rejected a post, which stays a draft.',
  'post.approval_expired': 'A post was not decided on in time.',
  'feed.disabled':
    'A feed was disabled: it failed for three days, is gone, or the key, agent or role behind it has ended.',
  'webhook.disabled': 'Another webhook was disabled, because every attempt failed for three days.',
};

export const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** Events that were added later: a webhook of an API call that names no events does not get them. */
const LATER = /\.disabled$|\.approv|\.rejected$/;

/** Those that a webhook of an API call gets when it names none. */
export const USUAL_EVENTS: readonly EventName[] = EVENT_NAMES.filter((name) => !LATER.test(name));
