/**
 * Where a process keeps the deliveries it has under way. Every webhook is a lane of its own: one attempt at a time,
 * in order, so a receiver that hangs keeps nobody waiting but itself. Lanes of webhooks that lately failed are
 * counted apart, so that any number of them leave room for the others; and a profile without a lane finds one kept free.
 */
import { createBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import { attemptDelivery, type AttemptOutcome } from './attempt-delivery.ts';
import {
  claimMore,
  type ClaimedDelivery,
  type Lane,
  LANE_BATCH,
  LANE_LEASE_MS,
  type LaneRoom,
  releaseLanes,
  takeLanes,
} from './claim-lanes.ts';
import { type DeliverySettlement, settleDeliveries } from './settle-deliveries.ts';

export interface DeliveryDesk {
  /** Takes lanes that have something due, as far as there is room, and delivers. Gives how many deliveries it began with. */
  begin(): Promise<number>;
  /** Resolves when no delivery is under way. */
  drained(): Promise<void>;
  /** Begins nothing new; resolves when the attempts under way are over. What else was claimed waits again. */
  close(): Promise<void>;
}

/** Lanes of a process, and those of webhooks that lately failed beside them. */
const LANES_MAX = 100;
const FAILING_LANES_MAX = 50;

/**
 * Lanes beyond these, only for profiles that have none: whatever the receivers of others do, a profile's first
 * webhook is delivered to at once.
 */
const RESERVED_LANES_MAX = 100;

/** Most rows of one statement. */
const WRITE_TOGETHER = 200;

/** A lane in which an attempt failed so slowly gives up its place: it is one of the failing from now on. */
const SLOW_FAILURE_MS = 1_000;

/** A lane begins no attempt when its lease is as old as this. */
const LEASE_USED_MS = LANE_LEASE_MS - 15_000;

/** @param context a function, because the desk is itself a part of the context */
export function createDeliveryDesk(context: () => Context): DeliveryDesk {
  const underWay = new Map<Promise<void>, Lane>();
  let closed = false;
  const settlements = createBatcher((items: readonly DeliverySettlement[]) => {
    return settleDeliveries(context(), items);
  }, WRITE_TOGETHER);
  const releases = createBatcher(async (lanes: readonly Lane[]) => {
    await releaseLanes(context(), lanes);
    return lanes.map(() => undefined);
  }, WRITE_TOGETHER);

  /** Lanes whose webhook was changed, disabled or deleted after they were taken. */
  const outdated = new WeakSet<Lane>();

  const room = (): LaneRoom => {
    const failing = [...underWay.values()].filter((lane) => lane.failing).length;
    const healthy = underWay.size - failing;
    const reserved = Math.max(0, healthy - LANES_MAX) + Math.max(0, failing - FAILING_LANES_MAX);
    return {
      healthy: Math.max(0, LANES_MAX - healthy),
      failing: Math.max(0, FAILING_LANES_MAX - failing),
      reserved: RESERVED_LANES_MAX - reserved,
    };
  };
  const isFull = (lane: Lane) => (lane.failing ? room().failing : room().healthy) === 0;

  const settle = async (settlement: DeliverySettlement) => {
    const isCurrent = await settlements.add(settlement);
    if (!isCurrent) outdated.add(settlement.lane);
  };

  /** Delivers a batch in order; gives whether the lane may go on. */
  const deliver = async (lane: Lane, batch: readonly ClaimedDelivery[], settling: Promise<unknown>[]) => {
    const startedAt = performance.now();
    for (const delivery of batch) {
      if (closed || outdated.has(lane) || performance.now() - startedAt > LEASE_USED_MS) return false;
      const began = performance.now();
      const outcome = await attemptDelivery(context(), lane, delivery);
      settling.push(lookedAtLater(settle({ lane, delivery, outcome })));
      if (isSlowFailure(outcome, performance.now() - began)) return false;
    }
    return true;
  };

  const runLane = async (lane: Lane) => {
    const settling: Promise<unknown>[] = [];
    let next: Promise<readonly ClaimedDelivery[]> = Promise.resolve(lane.deliveries);
    for (let goesOn = true; goesOn;) {
      const batch = await next;
      // While one batch is being delivered the next is claimed, and what became of the one before is written.
      const hasMore = batch.length === LANE_BATCH && !isFull(lane);
      next = lookedAtLater(hasMore ? claimMore(context(), lane) : Promise.resolve([]));
      goesOn = (await deliver(lane, batch, settling)) && hasMore;
      await Promise.all([next, ...settling.splice(0, settling.length - LANE_BATCH)]);
    }
    // Only when all of it is written down may another process look at the lane.
    await Promise.all(settling);
    await releases.add(lane);
  };

  const start = (lane: Lane) => {
    const running = runLane(lane).catch((error: unknown) => {
      context().log.error(
        { webhookId: lane.webhookId, err: error },
        'what became of a delivery could not be stored; it will be made again',
      );
    });
    underWay.set(running, lane);
    void running.then(() => underWay.delete(running));
  };

  const drained = async () => {
    while (underWay.size > 0) await Promise.all(underWay.keys());
  };

  return {
    begin: async () => {
      const free = room();
      if (closed || free.healthy + free.failing + free.reserved === 0) return 0;
      const lanes = await takeLanes(context(), free);
      lanes.forEach(start);
      return lanes.reduce((sum, lane) => sum + lane.deliveries.length, 0);
    },
    drained,
    close: () => {
      closed = true;
      return drained();
    },
  };
}

/** Whoever awaits it learns of a failure; until then it is not one that nobody handles, which would end the process. */
function lookedAtLater<Result>(promise: Promise<Result>): Promise<Result> {
  promise.catch(() => undefined);
  return promise;
}

function isSlowFailure({ delivered }: AttemptOutcome, tookMs: number): boolean {
  return !delivered && tookMs >= SLOW_FAILURE_MS;
}
