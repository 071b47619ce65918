/**
 * The webhook dispatcher: runs the deliveries of one process. Each webhook has one lease, so a slow receiver delays only
 * its own deliveries. Leases of failing webhooks are counted separately, so they cannot use up the capacity for healthy
 * ones. Extra capacity is reserved for profiles that hold no lease.
 */
import { isDatabaseAway } from '../../entities/database-away.ts';
import { createBatcher } from '../batcher.ts';
import type { Context } from '../context.ts';
import { InProgress } from '../in-progress.ts';
import { storeOutcome, untilDatabaseAnswers } from '../until-database-answers.ts';
import type { AttemptOutcome } from './attempt-delivery.ts';
import {
  claimMore,
  type LeaseCapacity,
  type NewLease,
  type WebhookLease,
  claimWebhookLeases,
  WEBHOOK_LEASE_MS,
} from './claim-webhook-leases.ts';
import type { WithReceivers } from './receivers.ts';
import { createDirectDeliveries, type DirectDeliveries, type LeaseHolder } from './direct-deliveries.ts';
import { releaseWebhookLeases } from './release-webhook-leases.ts';
import { type RunningLease, runWebhookLease } from './run-webhook-lease.ts';
import { type DeliverySettlement, settleDeliveries } from './settle-deliveries.ts';
import { untilUnlocked } from './until-unlocked.ts';

export interface WebhookDispatcher {
  /**
   * Takes leases of webhooks with due deliveries, up to the limits, and starts delivering. Resolves with the number of
   * deliveries started.
   */
  begin(): Promise<number>;
  /**
   * Keeps the leases in use of webhooks that new deliveries may be stored for, until the function it returns is called. Released
   * between two batches of a burst, they would have to be taken again, and the deliveries claimed.
   */
  keepLeases(): () => void;
  /** Hands over deliveries that a transaction is about to store, without claiming them. */
  direct(): DirectDeliveries;
  /**
   * Resolves when no delivery is in progress.
   *
   * @param patienceMs receivers that have not answered for this many milliseconds of real time are not waited for.
   *   Default: all are.
   */
  drained(patienceMs?: number): Promise<void>;
  /**
   * Ids of the webhooks that this process delivers to at the moment. One whose lease is being released is not among them:
   * what is due there needs a new lease.
   */
  webhooksInProgress(): string[];
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

/** With this many attempts in flight in the process, each webhook has one at a time. */
const ATTEMPTS_MAX = 400;

/** Real milliseconds between two looks at receivers that do not answer. */
const PATIENCE_CHECK_MS = 50;

/** Most rows in one statement. */
const WRITE_TOGETHER = 200;

/** The state of a lease in use. */
interface Running {
  readonly lease: WebhookLease;
  /** When each attempt in flight began, in milliseconds of the clock's elapsed time. */
  readonly attempts: InProgress<{ readonly began: number }>;
  isReleasing: boolean;
}

interface LeaseInUse {
  /** Resolves when the lease is released, or given up. */
  readonly ended: Promise<void>;
  readonly running: Running;
  readonly run: RunningLease;
}

export function createWebhookDispatcher(context: Context & WithReceivers): WebhookDispatcher {
  const { clock } = context;
  const inProgress = new InProgress<LeaseInUse>();
  let attemptsInFlight = 0;
  let closed = false;
  /** How many callers keep the leases. */
  let keepers = 0;
  const settlements = createBatcher((items: readonly DeliverySettlement[]) => {
    return storeOutcome(context, () => settleDeliveries(context, items));
  }, WRITE_TOGETHER);
  const releases = createBatcher((leases: readonly WebhookLease[]) => {
    return untilDatabaseAnswers(context, WEBHOOK_LEASE_MS, () => releaseWebhookLeases(context, leases));
  }, WRITE_TOGETHER);
  const releaseLease = (lease: WebhookLease) => untilUnlocked(context, () => releases.add(lease));

  /** Leases whose webhook was changed, disabled or deleted after they were taken. */
  const outdated = new WeakSet<WebhookLease>();

  const capacity = (): LeaseCapacity => {
    const failing = [...inProgress].filter(({ running }) => running.lease.failing).length;
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
    const isCurrent = await untilUnlocked(context, () => settlements.add(settlement));
    if (!isCurrent) outdated.add(settlement.lease);
  };

  const countAttempt = async ({ attempts }: Running, run: () => Promise<AttemptOutcome>) => {
    const done = attempts.add({ began: clock.elapsed() });
    attemptsInFlight += 1;
    try {
      return await run();
    } finally {
      done();
      attemptsInFlight -= 1;
    }
  };

  /** Releases the lease after all outcomes are stored. */
  const release = async (running: Running, { ended }: RunningLease) => {
    try {
      await ended;
    } catch (error) {
      running.isReleasing = true;
      // Nothing is in flight any more. A lease that is kept would delay the deliveries by a minute.
      if (isDatabaseAway(error)) await releaseLease(running.lease);
      throw error;
    }
    running.isReleasing = true;
    await releaseLease(running.lease);
  };

  const start = (taken: NewLease) => {
    const { lease } = taken;
    const running = { lease, attempts: new InProgress<{ readonly began: number }>(), isReleasing: false };
    const run = runWebhookLease(context, taken, {
      mayStart: () => !closed && !outdated.has(lease),
      mayWiden: () => attemptsInFlight < ATTEMPTS_MAX,
      mayClaim: () => !isFull(lease),
      isKept: () => keepers > 0,
      claim: async (held) => {
        const claimed = await untilDatabaseAnswers(context, WEBHOOK_LEASE_MS, () => claimMore(context, lease, held));
        // What waits must not go to the old url. It is claimed again under a new lease.
        if (claimed === null) outdated.add(lease);
        return claimed ?? [];
      },
      attempt: (attempt) => countAttempt(running, attempt),
      settle,
    });
    const ended = release(running, run).catch((error: unknown) => {
      context.log.error(
        { webhookId: lease.webhookId, err: error },
        'the outcome of a delivery could not be stored; the delivery will be repeated',
      );
    });
    void ended.then(inProgress.add({ ended, running, run }));
    // One that is only kept leaves its place to another.
    if (isFull(lease)) check();
  };

  const check = () => {
    for (const { run } of inProgress) run.check();
  };

  const holder: LeaseHolder = {
    find: (webhookId) => {
      const found = [...inProgress].find(({ running }) => running.lease.webhookId === webhookId);
      return found === undefined ? undefined : { lease: found.running.lease, running: found.run };
    },
    free: () => (closed ? 0 : capacity().healthy),
    waitingLength: () =>
      [...inProgress].reduce(
        (sum, { run }) => run.waiting().reduce((length, { body }) => length + body.length, sum),
        0,
      ),
    start,
    end: (lease) => {
      outdated.add(lease);
      check();
    },
  };

  const webhookIds = (items: Iterable<{ readonly running: Running }>) =>
    Array.from(items, ({ running }) => running.lease.webhookId);

  /** Milliseconds that the oldest attempt has been waiting for its receiver; 0 without attempts. */
  const waitOf = ({ attempts }: Running) => Math.max(0, ...[...attempts].map(({ began }) => clock.elapsed() - began));

  const drained = async (patienceMs = Infinity) => {
    for (;;) {
      const awaited = [...inProgress].filter(({ running }) => waitOf(running) < patienceMs);
      if (awaited.length === 0) return;
      const all = Promise.all(awaited.map(({ ended }) => ended));
      if (patienceMs === Infinity) await all;
      else await Promise.race([all, clock.sleep(PATIENCE_CHECK_MS)]);
    }
  };

  return {
    begin: async () => {
      check();
      const free = capacity();
      if (closed || free.healthy + free.failing + free.reserved === 0) return 0;
      const leases = await claimWebhookLeases(context, free, webhookIds(inProgress));
      leases.forEach(start);
      return leases.reduce((sum, { first }) => sum + first.deliveries.length, 0);
    },
    keepLeases: () => {
      keepers += 1;
      return () => {
        keepers -= 1;
        check();
      };
    },
    direct: () => createDirectDeliveries(context, holder),
    drained,
    webhooksInProgress: () => webhookIds([...inProgress].filter(({ running }) => !running.isReleasing)),
    close: () => {
      closed = true;
      check();
      return drained();
    },
  };
}
