/** Pauses and resumes the open deliveries of disabled webhooks. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { tables } from '../../entities/tables.ts';
import { openDeliveries } from './open-deliveries.ts';

/** Runs in the transaction that locks and disables the webhooks. An attempt in progress finishes normally. */
export async function pauseDeliveries(em: SqlEntityManager, webhookIds: readonly string[]): Promise<void> {
  await openDeliveries(em, webhookIds, false).set({ paused: true }).execute();
}

/** Runs in the transaction that locks and enables the webhook. Overdue deliveries are attempted at once. */
export async function resumeDeliveries(em: SqlEntityManager, webhookId: string): Promise<void> {
  await tables(em)
    .updateTable('deliveries')
    .set({ paused: false })
    .where('webhook_id', '=', webhookId)
    // A literal, because PostgreSQL uses the index of paused deliveries only then.
    .where('paused', '=', sql.lit(true))
    .execute();
}
