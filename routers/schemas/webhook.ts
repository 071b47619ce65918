/** Webhooks and their deliveries on the wire (spec: Webhook, Webhook delivery). */
import { z } from 'zod';
import { DELIVERY_STATUSES } from '../../entities/delivery.ts';
import { EVENT_NAMES } from '../../entities/event.ts';
import { timestampOutput, uuidInput, uuidOutput } from './common.ts';

export const WebhookIdInput = uuidInput('Id of the webhook.');

const webhookFields = {
  id: uuidOutput('Id of the webhook.'),
  url: z.string().describe('Where events are delivered to.'),
  events: z.array(z.enum(EVENT_NAMES)).describe('Names of the events it hears.'),
};
const createdAt = timestampOutput('When it was registered.');

export const Webhook = z
  .strictObject({ ...webhookFields, createdAt })
  .meta({ id: 'Webhook', description: 'An address that events are delivered to, without its secret.' });

export const NewWebhook = z
  .strictObject({
    ...webhookFields,
    secret: z.string().describe('What deliveries are signed with: whsec_ and 43 characters. Shown this once.'),
    createdAt,
  })
  .meta({ id: 'NewWebhook', description: 'A webhook as its registration shows it, with its secret.' });

export const Delivery = z
  .strictObject({
    id: uuidOutput('Id of the delivery, as its header x-service-delivery gives it.'),
    eventId: uuidOutput('The same id, as the body gives it; it stays through attempts and replays.'),
    event: z.enum(EVENT_NAMES).describe('Name of the event.'),
    status: z.enum(DELIVERY_STATUSES).describe('processing while an attempt is under way.'),
    attempts: z.int().describe('Times sent, at most 7; 0 again after a replay.'),
    createdAt: timestampOutput('When it was queued.'),
    nextAttemptAt: timestampOutput('When it is, or was last, due.'),
    deliveredAt: timestampOutput('When the receiver took it; null otherwise.').nullable(),
    deadAt: timestampOutput('When its last attempt failed; null otherwise.').nullable(),
    lastStatusCode: z.int().nullable().describe('What the receiver answered last; null when it did not.'),
    lastError: z.string().nullable().describe('Why the last attempt failed, in a line; null otherwise.'),
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook.' });
