/**
 * Delivers to one webhook while its lease lasts: up to sixteen attempts in flight, but one at a time for each post and each
 * connection, in order (docs/contract/webhooks.md#order-and-fairness).
 */
import type { Context } from '../context.ts';
import { InProgress } from '../in-progress.ts';
import { attemptDelivery, type AttemptOutcome } from './attempt-delivery.ts';
import { createAttemptWindow } from './attempt-window.ts';
import {
  type ClaimedDelivery,
  type FirstDeliveries,
  LEASE_BATCH,
  type NewLease,
  WEBHOOK_LEASE_MS,
} from './claim-webhook-leases.ts';
import type { WithReceivers } from './receivers.ts';
import type { DeliverySettlement } from './settle-deliveries.ts';

/** What a lease needs of the process that runs it. */
export interface LeaseRunner {
  /** False when nothing new may start, for example because the process stops or the webhook was changed. */
  mayStart(): boolean;
  /** Whether the process has capacity for another attempt beside the first one of this webhook. */
  mayWiden(): boolean;
  /** Whether the lease may claim more deliveries, instead of leaving its place to another webhook. */
  mayClaim(): boolean;
  /**
   * The next due deliveries besides those of the ids that are held; renews the lease. None when the lease is lost.
   */
  claim(held: string[]): Promise<readonly ClaimedDelivery[]>;
  /** Whether the lease stays in use without deliveries, because new ones may be stored for it. */
  isKept(): boolean;
  /** Runs one attempt, counted among those in flight. */
  attempt(run: () => Promise<AttemptOutcome>): Promise<AttemptOutcome>;
  /** Stores an outcome. */
  settle(settlement: DeliverySettlement): Promise<void>;
}

/** A lease in use. */
export interface RunningLease {
  /**
   * Resolves when no attempt is in flight and every outcome is stored; rejects when an outcome could not be stored, or the
   * next deliveries could not be claimed.
   */
  readonly ended: Promise<void>;
  /** The claimed deliveries that no attempt has begun for. */
  waiting(): readonly ClaimedDelivery[];
  /** Looks again at what the runner answers. */
  check(): void;
  /**
   * Keeps the lease until the place is closed, for deliveries that are being stored. Null when they must be claimed: when
   * more may be due than the lease holds, when it has not checked for a while, or when its receiver fails.
   */
  open(): LeasePlace | null;
}

/** A place for deliveries that are stored as claimed. */
export interface LeasePlace {
  /** How many deliveries it takes. */
  readonly capacity: number;
  /** Must be called exactly once. With `hasMore`, the lease looks for what else is due. */
  close(first: FirstDeliveries): void;
}

/** Most deliveries that wait in a lease that takes what fan-out stores. */
export const LEASE_CAPACITY = 1_000;

/** How long a lease takes what fan-out stores, since it last checked what is due: retries, replays and tests wait meanwhile. */
const OPEN_FOR_MS = 5_000;

/** With fewer waiting deliveries than this, the next ones are claimed. */
const CLAIM_BELOW = LEASE_BATCH / 2;

/** With this many outcomes that are not stored yet, nothing new starts. */
const UNSETTLED_MAX = 2 * LEASE_BATCH;

/** An attempt that fails after this long ends the lease; the webhook then counts as failing. */
const SLOW_FAILURE_MS = 1_000;

/** No attempt starts on a lease older than this. */
const LEASE_USED_MS = WEBHOOK_LEASE_MS - 15_000;

/** Begins at once. */
export function runWebhookLease(
  context: Context & WithReceivers,
  { lease, takenAt, first }: NewLease,
  runner: LeaseRunner,
): RunningLease {
  const { clock } = context;
  const window = createAttemptWindow();
  const waiting = [...first.deliveries];
  /** Ids of the claimed deliveries whose outcome is not stored yet. */
  const held = new Set(waiting.map(({ id }) => id));
  /** Subjects with an attempt in flight. */
  const attempts = new Set<string>();
  const settling = new InProgress<Promise<void>>();
  const failures: unknown[] = [];
  let isClaiming = false;
  let { hasMore } = first;
  let renewedAt = takenAt;
  /** Whether nothing new starts. */
  let isOver = false;
  let isFailing = lease.failing;
  let isOpen = false;
  /** Whether more may be due, but another webhook gets the place: only what waits is delivered, then the lease ends. */
  let isLeaving = false;
  let progress = Promise.withResolvers<void>();

  /** Lets the loop below look again. */
  const advance = () => progress.resolve();

  const fail = (error: unknown) => {
    failures.push(error);
    isOver = true;
  };

  const mayStart = () => !isOver && runner.mayStart() && clock.elapsed() - renewedAt <= LEASE_USED_MS;

  const hasCapacity = () =>
    settling.size < UNSETTLED_MAX && (attempts.size === 0 || (attempts.size < window.size() && runner.mayWiden()));

  /** Whether the lease may take deliveries that nothing claimed. */
  const takesNew = () => {
    const isCurrent = !hasMore && !isLeaving && !isClaiming && clock.elapsed() - renewedAt <= OPEN_FOR_MS;
    return isCurrent && !isFailing && mayStart() && runner.mayClaim();
  };

  const settle = (settlement: DeliverySettlement) => {
    const stored = runner
      .settle(settlement)
      .then(() => void held.delete(settlement.delivery.id))
      .catch(fail);
    void stored.then(settling.add(stored)).then(advance);
  };

  const attempt = async (delivery: ClaimedDelivery) => {
    const subject = subjectOf(delivery);
    attempts.add(subject);
    try {
      const began = clock.elapsed();
      const outcome = await runner.attempt(() => attemptDelivery(context, lease, delivery));
      const tookMs = clock.elapsed() - began;
      window.record(outcome.delivered, tookMs);
      isFailing = !outcome.delivered;
      if (!outcome.delivered && tookMs >= SLOW_FAILURE_MS) isOver = true;
      settle({ lease, delivery, outcome });
    } catch (error) {
      fail(error);
    } finally {
      attempts.delete(subject);
      advance();
    }
  };

  const claimMore = async () => {
    isClaiming = true;
    const askedAt = clock.elapsed();
    try {
      const deliveries = await runner.claim([...held]);
      if (deliveries.length > 0) renewedAt = askedAt;
      hasMore = deliveries.length === LEASE_BATCH;
      waiting.push(...deliveries);
      for (const { id } of deliveries) held.add(id);
    } catch (error) {
      fail(error);
    } finally {
      isClaiming = false;
      advance();
    }
  };

  const run = async () => {
    for (;;) {
      while (mayStart() && hasCapacity()) {
        const delivery = takeNext(waiting, attempts);
        if (delivery === null) break;
        void attempt(delivery);
      }
      if (hasMore && !isClaiming && waiting.length < CLAIM_BELOW && mayStart()) {
        if (runner.mayClaim()) void claimMore();
        else [hasMore, isLeaving] = [false, true];
      }
      const isIdle = attempts.size === 0 && !isClaiming && settling.size < UNSETTLED_MAX;
      if (isIdle && !isOpen && !(runner.isKept() && takesNew())) break;
      await progress.promise;
      progress = Promise.withResolvers();
    }
    isOver = true;
    await Promise.all(settling);
    if (failures.length > 0) throw failures[0];
  };

  const open = (): LeasePlace | null => {
    if (isOpen || !takesNew()) {
      advance();
      return null;
    }
    isOpen = true;
    const close = (stored: FirstDeliveries) => {
      isOpen = false;
      waiting.push(...stored.deliveries);
      for (const { id } of stored.deliveries) held.add(id);
      hasMore = stored.hasMore;
      advance();
    };
    return { capacity: LEASE_CAPACITY - waiting.length, close };
  };

  return { ended: run(), waiting: () => waiting, check: advance, open };
}

/** Events about one subject are delivered one after another. Tests of a webhook have none, and follow each other too. */
function subjectOf({ subject_id: subject }: ClaimedDelivery): string {
  return subject ?? '';
}

/** Takes the first delivery of a subject without an attempt in flight; null when there is none. */
function takeNext(waiting: ClaimedDelivery[], attempts: ReadonlySet<string>): ClaimedDelivery | null {
  const index = waiting.findIndex((delivery) => !attempts.has(subjectOf(delivery)));
  return index === -1 ? null : (waiting.splice(index, 1)[0] ?? null);
}
