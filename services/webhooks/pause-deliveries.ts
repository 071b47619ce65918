/** Pauses and resumes the open deliveries of disabled webhooks. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';

const PAUSE = `
  update deliveries set paused = true where webhook_id = any($1::uuid[]) and status in ('pending', 'processing')`;
const RESUME = 'update deliveries set paused = false where webhook_id = any($1::uuid[]) and paused';

/** Runs in the transaction that locks and disables the webhooks. An attempt in progress finishes normally. */
export async function pauseDeliveries(em: SqlEntityManager, webhookIds: readonly string[]): Promise<void> {
  await query(em, PAUSE, [webhookIds]);
}

/** Runs in the transaction that locks and enables the webhook. Overdue deliveries are attempted at once. */
export async function resumeDeliveries(em: SqlEntityManager, webhookId: string): Promise<void> {
  await query(em, RESUME, [[webhookId]]);
}
