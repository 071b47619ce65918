/**
 * Queues a delivery with a made-up post. It takes the same path as any other delivery, whether or not the webhook is
 * subscribed to the event.
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { columns } from '../../entities/column-lists.ts';
import { statement } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import { postEvent } from '../events/post-event.ts';
import type { Caller } from '../access/caller.ts';
import { DELIVERY, type DeliveryView, deliveryView } from './delivery-view.ts';
import { eventBody } from '../events/event-body.ts';
import { findWebhook, refuseEnded, requireEnabled } from './reachable-webhooks.ts';

/** The same in every test, on every install. */
const FAKE_POST = postEvent(
  {
    id: '00000000-0000-7000-8000-000000000000',
    connectionSlug: 'sandbox',
    text: 'This is a test of your webhook. It is not a real post.',
    scheduledFor: null,
    createdAt: new Date('2026-01-01T00:00:00.000Z'),
    tags: ['test'],
    profileId: null,
    mediaCount: 0,
  },
  { status: 'sent', url: 'https://example.com/posts/1', error: null, threadCount: 0, hasFirstComment: false },
);

const queueTest = statement('queue the test delivery of a webhook', {
  parameters: columns('deliveries', ['id', 'webhook_id', 'mode', 'body', 'created_at']).types,
  result: DELIVERY.types,
  sql: ({ id, webhook_id, mode, body, created_at }) => `
    insert into deliveries (id, webhook_id, event, mode, body, created_at, next_attempt_at)
    select ${id}, w.id, 'post.sent', ${mode}, ${body}, ${created_at}, ${created_at} from webhooks w
    where w.id = ${webhook_id} and w.deleted_at is null and w.disabled_at is null for key share
    returning ${DELIVERY.names}`,
});

/** @throws ServiceError not_found for an unknown, deleted or foreign webhook; invalid_request for a disabled one */
export async function testWebhook(context: Context, caller: Caller, webhookId: string): Promise<DeliveryView> {
  const em: SqlEntityManager = context.db.em();
  requireEnabled(await findWebhook(em, caller, webhookId));
  const id = context.random.uuid();
  const now = context.clock.now();
  const body = eventBody({ eventId: id, event: 'post.sent', queuedAt: now, payload: FAKE_POST, test: true });
  const [row] = await queueTest(em, { id, webhook_id: webhookId, mode: caller.mode, body, created_at: now });
  if (row === undefined) return refuseEnded(context, caller, webhookId);
  return deliveryView(row);
}
