/**
 * The one place that defines which webhooks a caller sees and manages: those with the same reach as the caller
 * (docs/contract/webhooks.md#which-events-a-webhook-gets).
 */
import type { FilterQuery } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Webhook } from '../../entities/webhook.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Caller } from '../access/caller.ts';
import type { Context } from '../context.ts';

/** Webhooks of the caller's account, profile and mode that are not deleted. */
export function reachableWebhooks(caller: Caller): FilterQuery<Webhook> {
  return {
    accountId: caller.accountId,
    deletedAt: null,
    ...(caller.profileId === null ? {} : { profileId: caller.profileId }),
    ...(caller.mode === 'test' ? { mode: 'test' } : {}),
  };
}

/** @throws ServiceError not_found for an unknown, deleted or foreign webhook */
export async function findWebhook(em: SqlEntityManager, caller: Caller, webhookId: string): Promise<Webhook> {
  const webhook = await em.findOne(Webhook, { ...Object(reachableWebhooks(caller)), id: webhookId });
  if (webhook === null) throw noWebhook(webhookId);
  return webhook;
}

/** @throws ServiceError invalid_request for a disabled webhook */
export function requireEnabled({ id, disabledAt }: Webhook): void {
  if (disabledAt == null) return;
  const message = `The webhook ${id} is disabled, so nothing is delivered to it. Enable it with PATCH and "enabled": true first.`;
  throw new ServiceError('invalid_request', message);
}

export function noWebhook(webhookId: string): ServiceError {
  return new ServiceError('not_found', `No webhook of yours has the id ${webhookId}.`);
}

/**
 * For a webhook that was enabled a moment before.
 *
 * @throws ServiceError invalid_request when it was disabled meanwhile, not_found when it was deleted
 */
export async function refuseEnded({ db }: Context, caller: Caller, webhookId: string): Promise<never> {
  requireEnabled(await findWebhook(db.em(), caller, webhookId));
  throw noWebhook(webhookId);
}
