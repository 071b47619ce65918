/**
 * webhookDeliveries: disables webhooks that fail for long, makes deliveries of what has happened, and attempts those that are due. Safe to run side by
 * side: one process at a time fans out, and one at a time delivers to a webhook.
 */
import type { Context } from '../services/context.ts';
import { disableFailing } from '../services/webhooks/disable-failing.ts';
import { fanOut } from '../services/webhooks/fan-out.ts';
import { nextDeliveryAt } from '../services/webhooks/next-delivery-at.ts';
import type { Loop } from './loop.ts';

export const webhookDeliveries: Loop = {
  name: 'webhookDeliveries',
  nextDueAt: nextDeliveryAt,
  run: async (context: Context, signal) => {
    let begun = await disableFailing(context);
    let fanned: number;
    do {
      fanned = signal.aborted ? 0 : await fanOut(context);
      // Between two batches of a long backlog deliveries begin already.
      if (!signal.aborted) begun += await context.deliveries.begin();
    } while (fanned > 0);
    return begun;
  },
};
