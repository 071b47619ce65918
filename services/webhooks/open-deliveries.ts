/** Updates the open deliveries of webhooks, those in progress with them, along their two indexes. */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { sql } from 'kysely';
import { anyOf } from '../../entities/any-of.ts';
import { tables } from '../../entities/tables.ts';

const OPEN_STATUSES = ['pending', 'processing'] as const;

/** @param isPaused whether those that wait because their webhook is disabled, or all others */
export function openDeliveries(em: SqlEntityManager, webhookIds: readonly string[], isPaused: boolean) {
  return (
    tables(em)
      .updateTable('deliveries')
      .where('webhook_id', '=', anyOf(webhookIds))
      // Literals, because PostgreSQL uses an index of some deliveries only then; otherwise it reads all of a webhook.
      .where(
        'status',
        'in',
        OPEN_STATUSES.map((status) => sql.lit(status)),
      )
      .where('paused', '=', sql.lit(isPaused))
  );
}
