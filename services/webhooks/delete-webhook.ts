/** Ends a webhook: nothing is delivered to it any more, and what is queued for it fails. */
import { LockMode } from '@mikro-orm/core';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { Webhook } from '../../entities/webhook.ts';
import { query } from '../../entities/query.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
import { noWebhook, reachableWebhooks } from './reachable-webhooks.ts';

// An attempt under way loses its claim, so its outcome changes nothing any more.
const FAIL_QUEUED = `
  update deliveries set status = 'failed', claim = null, last_error = 'The webhook was deleted.'
  where webhook_id = $1 and status in ('pending', 'processing')`;

/** @throws ServiceError not_found for an unknown, deleted or foreign webhook */
export async function deleteWebhook(context: Context, caller: Caller, webhookId: string): Promise<void> {
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    const where = { ...Object(reachableWebhooks(caller)), id: webhookId };
    // Whoever makes a delivery holds the row for key share, which this lock waits for: none is made behind its back.
    const webhook = await em.findOne(Webhook, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (webhook === null) throw noWebhook(webhookId);
    webhook.deletedAt = context.clock.now();
    webhook.secret = null;
    webhook.lane = null;
    webhook.laneUntil = null;
    await em.flush();
    await query(em, FAIL_QUEUED, [webhookId]);
  });
}
