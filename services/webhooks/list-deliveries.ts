/** Lists the deliveries of a webhook, newest first, a page at a time. */
import { query } from '../../entities/query.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { Context } from '../context.ts';
import type { Caller } from '../keys/caller.ts';
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
  { status, limit, startingAfter }: DeliveryFilter,
): Promise<Page<DeliveryView>> {
  await findWebhook(context.db.em(), caller, webhookId);
  if (startingAfter !== undefined) await requireDelivery(context, webhookId, startingAfter);
  // The status, one of four literals, is part of the SQL text: PostgreSQL uses its partial index only then.
  const ofStatus = status === undefined ? '' : `and status = '${status}'`;
  const parameters: unknown[] = [webhookId, limit + 1];
  const older = startingAfter === undefined ? '' : `and id < $${parameters.push(startingAfter)}`;
  const sql = `select ${DELIVERY_COLUMNS} from deliveries where webhook_id = $1 ${ofStatus} ${older} order by id desc limit $2`;
  const rows = await query<DeliveryRow>(context.db.em(), sql, parameters);
  return pageOf(rows.map(deliveryView), limit);
}

async function requireDelivery(context: Context, webhookId: string, deliveryId: string): Promise<void> {
  const sql = 'select 1 as found from deliveries where id = $1 and webhook_id = $2';
  const [row] = await query(context.db.em(), sql, [deliveryId, webhookId]);
  if (row !== undefined) return;
  const message = `startingAfter: ${deliveryId} is not the id of a delivery of this webhook.`;
  throw new ServiceError('invalid_request', message);
}
