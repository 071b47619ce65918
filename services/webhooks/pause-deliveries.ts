/** Keeps the open deliveries of disabled webhooks waiting, and lets them go on. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { query } from '../../entities/query.ts';

const PAUSE = `
  update deliveries set paused = true where webhook_id = any($1::uuid[]) and status in ('pending', 'processing')`;
const RESUME = 'update deliveries set paused = false where webhook_id = any($1::uuid[]) and paused';

/** In the transaction that disables the webhooks and has locked them. An attempt in progress ends as it would have. */
export async function pauseDeliveries(em: SqlEntityManager, webhookIds: readonly string[]): Promise<void> {
  await query(em, PAUSE, [webhookIds]);
}

/** In the transaction that enables the webhook and has locked it. What is overdue is attempted at once. */
export async function resumeDeliveries(em: SqlEntityManager, webhookId: string): Promise<void> {
  await query(em, RESUME, [[webhookId]]);
}
