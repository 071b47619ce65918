/**
 * Delivers to one webhook while its lease lasts: up to sixteen attempts in flight, but one at a time for each post and each
 * connection, in order (docs/contract/webhooks.md#order-and-fairness).
 */
import type { Context } from '../context.ts';
import { InProgress } from '../in-progress.ts';
import { attemptDelivery, type AttemptOutcome } from './attempt-delivery.ts';
import { createAttemptWindow } from './attempt-window.ts';
import { type ClaimedDelivery, LEASE_BATCH, WEBHOOK_LEASE_MS, type WebhookLease } from './claim-webhook-leases.ts';
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
  /** Runs one attempt, counted among those in flight. */
  attempt(run: () => Promise<AttemptOutcome>): Promise<AttemptOutcome>;
  /** Stores an outcome. */
  settle(settlement: DeliverySettlement): Promise<void>;
}

/** With fewer waiting deliveries than this, the next ones are claimed. */
const CLAIM_BELOW = LEASE_BATCH / 2;

/** With this many outcomes that are not stored yet, nothing new starts. */
const UNSETTLED_MAX = 2 * LEASE_BATCH;

/** An attempt that fails after this long ends the lease; the webhook then counts as failing. */
const SLOW_FAILURE_MS = 1_000;

/** No attempt starts on a lease older than this. */
const LEASE_USED_MS = WEBHOOK_LEASE_MS - 15_000;

/**
 * Resolves when no attempt is in flight and every outcome is stored.
 *
 * @throws when an outcome could not be stored, or the next deliveries could not be claimed
 */
export async function runWebhookLease(
  context: Context & WithReceivers,
  lease: WebhookLease,
  runner: LeaseRunner,
): Promise<void> {
  const { clock } = context;
  const window = createAttemptWindow();
  const waiting = [...lease.deliveries];
  /** Ids of the claimed deliveries whose outcome is not stored yet. */
  const held = new Set(waiting.map(({ id }) => id));
  /** Subjects with an attempt in flight. */
  const attempts = new Set<string>();
  const settling = new InProgress<Promise<void>>();
  const failures: unknown[] = [];
  let isClaiming = false;
  let hasMore = waiting.length === LEASE_BATCH;
  let renewedAt = clock.elapsed();
  let isOver = false;
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

  for (;;) {
    while (mayStart() && hasCapacity()) {
      const delivery = takeNext(waiting, attempts);
      if (delivery === null) break;
      void attempt(delivery);
    }
    if (hasMore && !isClaiming && waiting.length < CLAIM_BELOW && mayStart()) {
      if (runner.mayClaim()) void claimMore();
      else hasMore = false;
    }
    if (attempts.size === 0 && !isClaiming && settling.size < UNSETTLED_MAX) break;
    await progress.promise;
    progress = Promise.withResolvers();
  }
  await Promise.all(settling);
  if (failures.length > 0) throw failures[0];
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
