/** What reports a disabled webhook: the event webhook.disabled, and an email to its owners. */
import { columns } from '../../entities/column-lists.ts';
import type { Tables } from '../../entities/tables.ts';
import type { Context } from '../context.ts';
import type { NewEvent } from '../events/store-events.ts';
import type { NoticeText } from '../notices/store-owner-notices.ts';
import { timestamp } from '../timestamp.ts';

/** Columns of a webhook that was just disabled. */
export const DISABLED = columns('webhooks', [
  'id',
  'account_id',
  'profile_id',
  'mode',
  'url',
  'description',
  'failing_since',
]);

type DisabledWebhook = Pick<Tables['webhooks'], Exclude<keyof typeof DISABLED.types, 'failing_since'>> & {
  failing_since: string;
};

/**
 * Builds the event, which only webhooks that name it receive; the caller's transaction stores it. Its mode is that of the key that registered the webhook.
 */
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

/** Builds the email. The host is the only customer input in it. */
export function disabledNotice({ config }: Context, { id, url, failing_since: since }: DisabledWebhook): NoticeText {
  const { host } = new URL(url);
  return {
    subject: `Webhook to ${host} was disabled`,
    text: [
      `Carillon disabled a webhook because every delivery to it failed since ${timestamp(since)}.`,
      `Webhook: ${id}\nHost: ${host}`,
      `New events are not stored for it. Deliveries that were waiting go on when it is enabled again:`,
      `PATCH ${config.publicUrl}/api/v2/webhooks/${id} with {"enabled": true}`,
    ].join('\n\n'),
  };
}
