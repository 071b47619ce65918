/** The events of the service: the bodies of webhook deliveries and the data of the stream. */
import type { EventPayloads } from './api-types.ts';

/** Name of an event, such as `post.sent`. */
export type EventName = keyof EventPayloads;

/** The body of one event. */
export type WebhookEventOf<Name extends EventName> = {
  /** Identical in all attempts and replays, so that a receiver can skip an event it has already processed. */
  readonly eventId: string;
  readonly event: Name;
  /** When it happened: an ISO 8601 instant. */
  readonly timestamp: string;
  /** True on the sample delivery of a test. */
  readonly test?: true;
} & Readonly<EventPayloads[Name]>;

/** The body of any event; `event` tells which. A newer service may send names that this type does not have. */
export type WebhookEvent = { [Name in EventName]: WebhookEventOf<Name> }[EventName];

/** An event of the stream, whose messages name the mode besides. */
export type StreamedEvent = WebhookEvent & {
  /** `test` when a test key caused the event. */
  readonly mode: 'live' | 'test';
};
