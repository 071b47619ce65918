/**
 * webhookDeliveries: disables webhooks that keep failing, adjusts deliveries to the state of their webhooks, creates those of new
 * events, and attempts due ones. Safe to run in parallel: one process at a time fans out, and one at a time delivers to a webhook.
 */
import { adjustMoreDeliveries } from '../services/webhooks/adjust-deliveries.ts';
import { disableFailing } from '../services/webhooks/disable-failing.ts';
import { FAN_OUT_MAX, fanOut } from '../services/webhooks/fan-out.ts';
import { nextDeliveryAt } from '../services/webhooks/next-delivery-at.ts';
import { roundEnd } from '../services/workers/round-end.ts';
import type { Loop, LoopContext } from './loop.ts';

/** Events that are fanned out first, so that their deliveries start soon. Each further batch of a round is twice as large. */
const FIRST_EVENTS = 25;

/** How long a round fans out events before it looks again for what fell due meanwhile. */
const LOOK_AGAIN_MS = 1_000;

export const webhookDeliveries: Loop = {
  name: 'webhookDeliveries',
  // What is due at a webhook in progress starts with its own attempts. A receiver that hangs holds nothing else up.
  nextDueAt: (context) => nextDeliveryAt(context, context.deliveries.webhooksInProgress()),
  run: async (context, signal) => {
    const release = context.deliveries.keepLeases();
    try {
      return await deliver(context, signal);
    } finally {
      release();
    }
  },
};

async function deliver(context: LoopContext, signal: AbortSignal): Promise<number> {
  let begun = await disableFailing(context);
  let atMost = FIRST_EVENTS;
  /** How many webhooks the latest step was for. After none, the next round looks again. */
  let adjusted = 1;
  const isOver = roundEnd(context, signal);
  let lookedAt = context.clock.elapsed();
  /** Accounts with a webhook that is being changed: their events wait for the next round. */
  const left: string[] = [];
  for (;;) {
    if (signal.aborted) return begun;
    // A step between two batches of events, which wait for one step at most.
    if (adjusted > 0) adjusted = await adjustMoreDeliveries(context);
    begun += adjusted;
    const fanned = await fanOut(context, context.deliveries, { atMost, except: left });
    begun += fanned.begun;
    left.push(...fanned.left);
    atMost = Math.min(2 * atMost, FAN_OUT_MAX);
    const isLast = (adjusted === 0 && fanned.events === 0 && fanned.left.length === 0) || isOver();
    // Deliveries that were handed to leases need no claim.
    if (isLast || fanned.waiting > 0 || context.clock.elapsed() - lookedAt >= LOOK_AGAIN_MS) {
      lookedAt = context.clock.elapsed();
      if (!signal.aborted) begun += await context.deliveries.begin();
    }
    if (isLast) return begun;
  }
}
