/** The mail that tells an owner that a webhook was disabled. The host is the only customer input in it. */
import type { Context } from '../context.ts';
import type { NoticeText } from '../people/store-owner-notices.ts';
import { timestamp } from '../timestamp.ts';
import type { DisabledWebhook } from './disable-failing.ts';

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
