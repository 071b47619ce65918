/** Operations on webhooks. */
import { router } from '../procedures.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getDelivery } from './get-delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listWebhooks } from './list-webhooks.ts';
import { replayDelivery } from './replay-delivery.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const webhooksRouter = router({
  create: createWebhook,
  list: listWebhooks,
  update: updateWebhook,
  rotateSecret,
  delete: deleteWebhook,
  deliveries: listDeliveries,
  delivery: getDelivery,
  replay: replayDelivery,
  test: testWebhook,
});
