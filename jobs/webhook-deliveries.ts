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
  // What is due at a webhook in progress starts with its own attempts. A receiver that hangs holds nothing else up.
  nextDueAt: (context) => nextDeliveryAt(context, context.deliveries.webhooksInProgress()),
  run: async (context, signal) => {
    let begun = await disableFailing(context);
    let events = 0;
    do {
      const fanned = signal.aborted ? null : await fanOut(context, context.deliveries);
      events = fanned?.events ?? 0;
      begun += fanned?.begun ?? 0;
      // Deliveries start between two batches of a long backlog.
      if (!signal.aborted) begun += await context.deliveries.begin();
    } while (events > 0);
    return begun;
  },
};
