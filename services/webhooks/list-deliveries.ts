/** Lists the deliveries of a webhook, newest first, a page at a time. */
import { type SelectQueryBuilder, sql } from 'kysely';
import { ownerOfList } from '../../entities/any-of.ts';
import { Delivery } from '../../entities/delivery.ts';
import type { Queries } from '../../entities/statement.ts';
import { type Schema, tables } from '../../entities/tables.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../access/caller.ts';
import { type Page, pageOf } from '../paging.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, type DeliveryView, deliveryView } from './delivery-view.ts';
import { findWebhook } from './reachable-webhooks.ts';

/** Values of the status filter. `processing` lasts only seconds and is not one of them. */
export const LISTED_STATUSES = ['pending', 'delivered', 'failed', 'dead'] as const;

export interface DeliveryFilter {
  readonly status?: (typeof LISTED_STATUSES)[number] | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** Id of a delivery of this webhook; the page starts after it, with older ones. */
  readonly startingAfter?: string | undefined;
}

/** @throws ServiceError not_found (webhook), invalid_request (startingAfter is no delivery of it) */
export async function listDeliveries(
  context: Context,
  caller: Caller,
  webhookId: string,
  filter: DeliveryFilter,
): Promise<Page<DeliveryView>> {
  const { limit, startingAfter } = filter;
  await findWebhook(context.db.em(), caller, webhookId);
  if (startingAfter !== undefined) await requireDelivery(context, webhookId, startingAfter);
  const rows = await deliveriesQuery(context.db.queries, webhookId, filter).execute();
  return pageOf(rows.map(deliveryView), limit);
}

/** The query of one page; it selects one row more than the page shows. */
export function deliveriesQuery(
  queries: Queries,
  webhookId: string,
  { status, limit, startingAfter }: DeliveryFilter,
): SelectQueryBuilder<Schema, 'deliveries', DeliveryRow> {
  let page = tables(queries)
    .selectFrom('deliveries')
    .select(DELIVERY_COLUMNS)
    .where('webhook_id', '=', ownerOfList(webhookId))
    .orderBy('webhook_id', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1);
  // A literal, because PostgreSQL uses the partial index of a status only then.
  if (status !== undefined) page = page.where('status', '=', sql.lit(status));
  if (startingAfter !== undefined) page = page.where('id', '<', startingAfter);
  return page;
}

async function requireDelivery(context: Context, webhookId: string, deliveryId: string): Promise<void> {
  if ((await context.db.em().count(Delivery, { id: deliveryId, webhookId })) > 0) return;
  const message = `startingAfter: ${deliveryId} is not the id of a delivery of this webhook.`;
  throw new ServiceError('invalid_request', message);
}
