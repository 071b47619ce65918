/** Deletes one webhook. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { endWebhooks } from './end-webhooks.ts';
import { findWebhook, noWebhook } from './reachable-webhooks.ts';

/** @throws ServiceError not_found for an unknown, deleted or foreign webhook */
export async function deleteWebhook(context: Context, caller: Caller, webhookId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    await findWebhook(em, caller, webhookId);
    const end = { at: context.clock.now(), why: 'The webhook was deleted.' };
    if ((await endWebhooks(em, [webhookId], end)) === 0) throw noWebhook(webhookId);
  });
}
