/** Webhooks and their deliveries on the wire (docs/contract/webhooks.md#webhooks-of-a-caller). */
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../entities/delivery.ts';
import { EVENT_NAMES } from '../../entities/event.ts';
import { DISABLED_REASONS } from '../../entities/webhook.ts';
import { RECEIVER_URL_MAX } from '../../services/webhooks/receiver-url.ts';
import { storableText, timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const WebhookIdInput = uuidInput('Id of the webhook.');

/** An address to register. */
export const ReceiverUrl = storableText(z.string().min(1).max(RECEIVER_URL_MAX));

/** Names of events to subscribe to. */
export const EventNames = z.array(z.enum(EVENT_NAMES)).min(1).max(100);

/** A label for people. */
export const WebhookDescription = storableText(z.string().min(1).max(200));

const fields = {
  id: uuidOutput('Id of the webhook.'),
  url: z.string().describe('Where events are delivered to.'),
  events: z.array(z.enum(EVENT_NAMES)).describe('Names of the events it receives.'),
  description: z.string().nullable().describe('Label for people; null for none.'),
  enabled: z.boolean().describe('Whether events are delivered to it.'),
  disabledAt: timestampOutput('Since when it is disabled; null while it is enabled.').nullable(),
  disabledReason: z
    .enum(DISABLED_REASONS)
    .nullable()
    .describe('requested, or failing after three days in which every attempt failed; null while it is enabled.'),
  createdAt: timestampOutput('When it was registered.'),
};

export const Webhook = z
  .strictObject(fields)
  .meta({ id: 'Webhook', description: 'An address that events are delivered to, without its secret.' });

export const NewWebhook = z
  .strictObject({
    ...fields,
    secret: z.string().describe('What deliveries are signed with: whsec_ and 43 characters. Shown this once.'),
  })
  .meta({ id: 'NewWebhook', description: 'A webhook with its secret, as registration and rotation show it.' });

const deliveryFields = {
  id: uuidOutput('Id of the delivery, as its header x-service-delivery gives it.'),
  eventId: uuidOutput('The same id, as the body gives it; it stays through attempts and replays.'),
  event: z.enum(EVENT_NAMES).describe('Name of the event.'),
  status: z.enum(DELIVERY_STATUSES).describe('processing during an attempt.'),
  attempts: z.int().describe('Times sent, at most 7; 0 again after a replay.'),
  createdAt: timestampOutput('When it was queued.'),
  nextAttemptAt: timestampOutput('When it is, or was last, due.'),
  deliveredAt: timestampOutput('When the receiver took it; null otherwise.').nullable(),
  deadAt: timestampOutput('When its last attempt failed; null otherwise.').nullable(),
  lastStatusCode: z.int().nullable().describe('What the receiver answered last; null when it did not.'),
  lastError: z.string().nullable().describe('Why the last attempt failed, in a line; null otherwise.'),
};

export const Delivery = z
  .strictObject(deliveryFields)
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook.' });

const DeliveryAttempt = z
  .strictObject({
    attempt: z.int().describe('1 to 7; 1 again after a replay.'),
    attemptedAt: timestampOutput('When it began.'),
    durationMs: z.int().describe('Milliseconds until the status line, or until it failed.'),
    statusCode: z.int().nullable().describe('What the receiver answered; null when it did not.'),
    error: z.string().nullable().describe('Why it failed, in a line; null when it succeeded.'),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One request to the receiver. Its response body is not stored.' });

export const DeliveryDetail = z
  .strictObject({
    ...deliveryFields,
    webhookId: uuidOutput('Id of the webhook.'),
    mode: z.enum(['live', 'test']).describe('Mode of the event, as in the header x-service-mode.'),
    body: z.string().describe('The exact body of every attempt, as JSON text.'),
    attemptLog: z.array(DeliveryAttempt).describe('The latest 20 attempts, oldest first, also those before a replay.'),
  })
  .meta({ id: 'DeliveryDetail', description: 'A delivery with its body and its attempts.' });
