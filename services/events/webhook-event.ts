/** The event webhook.disabled, which only webhooks that name it receive. */
import type { Context } from '../context.ts';
import { timestamp } from '../timestamp.ts';
import type { DisabledWebhook } from '../webhooks/disable-failing.ts';
import type { NewEvent } from './store-events.ts';

/** Builds the event; the caller's transaction stores it. Its mode is that of the key that registered the webhook. */
export function disabledEvent(context: Context, webhook: DisabledWebhook, disabledAt: Date): NewEvent {
  const { id, account_id: accountId, profile_id: profileId, mode, description } = webhook;
  return {
    id: context.random.uuid(),
    accountId,
    profileId,
    name: 'webhook.disabled',
    mode,
    subjectId: id,
    // Without the url: a receiver may belong to another party, and a url can contain a secret.
    payload: {
      webhook: { id, description, disabledAt: timestamp(disabledAt), disabledReason: 'failing', profileId },
    },
    createdAt: disabledAt,
  };
}
