/**
 * webhookDeliveries: disables webhooks that keep failing, creates the deliveries of new events, and attempts due
 * deliveries. Safe to run in parallel: one process at a time fans out, and one at a time delivers to a webhook.
 */
import { disableFailing } from '../services/webhooks/disable-failing.ts';
import { fanOut } from '../services/webhooks/fan-out.ts';
import { nextDeliveryAt } from '../services/webhooks/next-delivery-at.ts';
import type { Loop } from './loop.ts';

export const webhookDeliveries: Loop = {
  name: 'webhookDeliveries',
  // On the manual clock a receiver that hangs holds nothing else up, so its webhook is not what is due next.
  nextDueAt: (context, asked) =>
    nextDeliveryAt(context, asked?.isSimulated ? context.deliveries.webhooksInProgress() : []),
  run: async (context, signal) => {
    let begun = await disableFailing(context);
    let fanned: number;
    do {
      fanned = signal.aborted ? 0 : await fanOut(context);
      // Deliveries start between two batches of a long backlog.
      if (!signal.aborted) begun += await context.deliveries.begin();
    } while (fanned > 0);
    return begun;
  },
};
