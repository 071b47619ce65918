/** Lists the disabled webhooks of an account for its owner, the latest first. */
import { type DisabledReason, Webhook } from '../../entities/webhook.ts';
import type { Context } from '../context.ts';

export interface DisabledWebhookView {
  readonly id: string;
  /** Host of the url; the rest of the url may hold a secret. */
  readonly host: string;
  readonly description: string | null;
  readonly reason: DisabledReason;
  readonly disabledAt: Date;
}

export async function listDisabledWebhooks(context: Context, accountId: string): Promise<DisabledWebhookView[]> {
  const where = { accountId, deletedAt: null, disabledAt: { $ne: null } };
  const webhooks = await context.db.em().find(Webhook, where, { orderBy: { disabledAt: 'desc', id: 'desc' } });
  return webhooks.map(({ id, url, description, disabledReason, disabledAt }) => ({
    id,
    host: new URL(url).host,
    description: description ?? null,
    reason: disabledReason ?? 'requested',
    disabledAt: disabledAt as Date,
  }));
}
