/**
 * The webhook dispatcher: runs the deliveries of one process. Each webhook has one lease and one attempt at a time, in
 * order, so a slow receiver delays only its own deliveries. Leases of failing webhooks are counted separately, so they
 * cannot use up the capacity for healthy ones. Extra capacity is reserved for profiles that hold no lease.
 */
import { createBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import { attemptDelivery, type AttemptOutcome } from './attempt-delivery.ts';
import {
  claimMore,
  type ClaimedDelivery,
  type WebhookLease,
  LEASE_BATCH,
  WEBHOOK_LEASE_MS,
  type LeaseCapacity,
  releaseWebhookLeases,
  claimWebhookLeases,
} from './claim-webhook-leases.ts';
import type { WithReceivers } from './receivers.ts';
import { type DeliverySettlement, settleDeliveries } from './settle-deliveries.ts';

export interface WebhookDispatcher {
  /**
   * Takes leases of webhooks with due deliveries, up to the limits, and starts delivering. Resolves with the number of
   * deliveries started.
   */
  begin(): Promise<number>;
  /** Resolves when no delivery is in progress. */
  drained(): Promise<void>;
  /**
   * Starts nothing new; resolves when the attempts in progress are over. Claimed deliveries that were not attempted
   * become pending again.
   */
  close(): Promise<void>;
}

/** The webhook deliveries in progress in this process. */
export interface WithDispatcher {
  readonly deliveries: WebhookDispatcher;
}

/** Most leases of healthy webhooks in a process; failing webhooks have a separate limit. */
const LEASES_MAX = 100;
const FAILING_LEASES_MAX = 50;

/**
 * Extra leases, only for profiles that hold none: the first webhook of a profile is served at once, however slow the
 * receivers of other profiles are.
 */
const RESERVED_LEASES_MAX = 100;

/** Most rows in one statement. */
const WRITE_TOGETHER = 200;

/**
 * When an attempt takes at least this long to fail, the process releases the lease; the webhook then counts as failing.
 */
const SLOW_FAILURE_MS = 1_000;

/** No attempt starts on a lease older than this. */
const LEASE_USED_MS = WEBHOOK_LEASE_MS - 15_000;

export function createWebhookDispatcher(context: Context & WithReceivers): WebhookDispatcher {
  const inProgress = new Map<Promise<void>, WebhookLease>();
  let closed = false;
  const settlements = createBatcher((items: readonly DeliverySettlement[]) => {
    return settleDeliveries(context, items);
  }, WRITE_TOGETHER);
  const releases = createBatcher(async (leases: readonly WebhookLease[]) => {
    await releaseWebhookLeases(context, leases);
    return leases.map(() => undefined);
  }, WRITE_TOGETHER);

  /** Leases whose webhook was changed, disabled or deleted after they were taken. */
  const outdated = new WeakSet<WebhookLease>();

  const capacity = (): LeaseCapacity => {
    const failing = [...inProgress.values()].filter((lease) => lease.failing).length;
    const healthy = inProgress.size - failing;
    const reserved = Math.max(0, healthy - LEASES_MAX) + Math.max(0, failing - FAILING_LEASES_MAX);
    return {
      healthy: Math.max(0, LEASES_MAX - healthy),
      failing: Math.max(0, FAILING_LEASES_MAX - failing),
      reserved: RESERVED_LEASES_MAX - reserved,
    };
  };
  const isFull = (lease: WebhookLease) => (lease.failing ? capacity().failing : capacity().healthy) === 0;

  const settle = async (settlement: DeliverySettlement) => {
    const isCurrent = await settlements.add(settlement);
    if (!isCurrent) outdated.add(settlement.lease);
  };

  /** Delivers a batch in order; resolves with whether the lease can still be used. */
  const deliver = async (lease: WebhookLease, batch: readonly ClaimedDelivery[], settling: Promise<unknown>[]) => {
    const startedAt = context.clock.elapsed();
    for (const delivery of batch) {
      if (closed || outdated.has(lease) || context.clock.elapsed() - startedAt > LEASE_USED_MS) return false;
      const began = context.clock.elapsed();
      const outcome = await attemptDelivery(context, lease, delivery);
      settling.push(lookedAtLater(settle({ lease, delivery, outcome })));
      if (isSlowFailure(outcome, context.clock.elapsed() - began)) return false;
    }
    return true;
  };

  const runLease = async (lease: WebhookLease) => {
    const settling: Promise<unknown>[] = [];
    let next: Promise<readonly ClaimedDelivery[]> = Promise.resolve(lease.deliveries);
    for (let hasNext = true; hasNext;) {
      const batch = await next;
      // While one batch is delivered, the next is claimed and the outcomes of the previous one are stored.
      const hasMore = batch.length === LEASE_BATCH && !isFull(lease);
      next = lookedAtLater(hasMore ? claimMore(context, lease) : Promise.resolve([]));
      hasNext = (await deliver(lease, batch, settling)) && hasMore;
      await Promise.all([next, ...settling.splice(0, settling.length - LEASE_BATCH)]);
    }
    // The lease is released only after all outcomes are stored.
    await Promise.all(settling);
    await releases.add(lease);
  };

  const start = (lease: WebhookLease) => {
    const running = runLease(lease).catch((error: unknown) => {
      context.log.error(
        { webhookId: lease.webhookId, err: error },
        'the outcome of a delivery could not be stored; the delivery will be repeated',
      );
    });
    inProgress.set(running, lease);
    void running.then(() => inProgress.delete(running));
  };

  const drained = async () => {
    while (inProgress.size > 0) await Promise.all(inProgress.keys());
  };

  return {
    begin: async () => {
      const free = capacity();
      if (closed || free.healthy + free.failing + free.reserved === 0) return 0;
      const leases = await claimWebhookLeases(context, free);
      leases.forEach(start);
      return leases.reduce((sum, lease) => sum + lease.deliveries.length, 0);
    },
    drained,
    close: () => {
      closed = true;
      return drained();
    },
  };
}

/** Marks the promise as handled until it is awaited: an unhandled rejection would end the process. */
function lookedAtLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

function isSlowFailure({ delivered }: AttemptOutcome, tookMs: number): boolean {
  return !delivered && tookMs >= SLOW_FAILURE_MS;
}
