/** Operations on webhooks. */
import { router } from '../trpc.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { replayDelivery } from './replay-delivery.ts';
import { testWebhook } from './test-webhook.ts';

export const webhooksRouter = router({
  create: createWebhook,
  list: listWebhooks,
  delete: deleteWebhook,
  deliveries: listDeliveries,
  replay: replayDelivery,
  test: testWebhook,
});
