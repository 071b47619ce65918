/** Pauses and resumes the open deliveries of disabled webhooks. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';

/** Runs in the transaction that locks and disables the webhooks. An attempt in progress finishes normally. */
export async function pauseDeliveries(em: SqlEntityManager, webhookIds: readonly string[]): Promise<void> {
  await tables(em)
    .updateTable('deliveries')
    .set({ paused: true })
    .where('webhook_id', '=', anyOf(webhookIds))
    .where('status', 'in', ['pending', 'processing'])
    .execute();
}

/** Runs in the transaction that locks and enables the webhook. Overdue deliveries are attempted at once. */
export async function resumeDeliveries(em: SqlEntityManager, webhookId: string): Promise<void> {
  await tables(em)
    .updateTable('deliveries')
    .set({ paused: false })
    .where('webhook_id', '=', webhookId)
    .where('paused', '=', true)
    .execute();
}
