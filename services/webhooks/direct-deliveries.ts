/**
 * Deliveries that fan-out stores as claimed and hands to leases in its process, which need neither claim them nor read
 * them back (docs/decisions/0129-hand-new-deliveries-to-leases.md).
 */
import type { SqlEntityManager } from '@mikro-orm/sql';
import { isDatabaseAway } from '../../entities/database-away.ts';
import { statement, unseenByPlanner } from '../../entities/statement.ts';
import type { Context } from '../context.ts';
import {
  type ClaimedDelivery,
  type FirstDeliveries,
  IS_ON,
  LEASED,
  leaseOf,
  type NewLease,
  OPEN,
  releaseUnused,
  WEBHOOK_LEASE_MS,
  type WebhookLease,
} from './claim-webhook-leases.ts';
import { LEASE_CAPACITY, type RunningLease } from './run-webhook-lease.ts';

/** What the leases of one process take of one transaction. */
export interface DirectDeliveries {
  /**
   * Decides which webhooks take deliveries, and takes the leases of those that have none. Call it once, in the transaction,
   * while the webhooks are locked.
   */
  open(em: SqlEntityManager, webhooks: readonly DirectWebhook[]): Promise<void>;
  /** The claim to store the next delivery of a webhook under; null when it has to wait until it is claimed. */
  claimFor(webhookId: string, delivery: ClaimedDelivery): string | null;
  /**
   * Starts the attempts, after the commit.
   *
   * @param stored ids of the deliveries that were stored as claimed
   * @returns how many were handed over
   */
  begin(stored: ReadonlySet<string>): number;
  /** After a transaction that failed, or of which it is not known whether it did. */
  giveUp(error: unknown): void;
}

/** A webhook as the transaction finds it. */
export interface DirectWebhook {
  readonly id: string;
  readonly revision: number;
  /** Whose lease it has; null without one. */
  readonly lease: string | null;
}

/** The leases of a process. */
export interface LeaseHolder {
  /** The lease in use of a webhook; undefined without one. */
  find(webhookId: string): { readonly lease: WebhookLease; readonly running: RunningLease } | undefined;
  /** How many leases of healthy webhooks the process may take. */
  free(): number;
  /** Characters of the bodies that wait in all leases. */
  waitingLength(): number;
  /** Runs a lease that was just taken. */
  start(taken: NewLease): void;
  /** Starts nothing more under a lease whose webhook was changed, so that it is taken anew. */
  end(lease: WebhookLease): void;
}

/** Most characters of bodies that wait in the leases of a process, when a delivery is handed over. */
const WAITING_LENGTH_MAX = 8_000_000;

/** Where the deliveries of one webhook go. */
interface Place {
  readonly claim: string;
  readonly capacity: number;
  readonly deliveries: ClaimedDelivery[];
  /** Whether a delivery waits to be claimed. Later ones must wait behind it. */
  isFull: boolean;
  readonly close: (first: FirstDeliveries) => void;
}

// Another process may have stored deliveries for the webhook, which come first.
const findWaiting = statement('find which webhooks have due deliveries that nothing has claimed', {
  parameters: { now: 'timestamptz', webhookIds: 'uuid[]' },
  result: { id: 'uuid' },
  sql: ({ now, webhookIds }) => `
    select w.id from unnest(${webhookIds}) as w(id) where exists (select from deliveries d
      where d.webhook_id = w.id and ${OPEN} and d.status = 'pending' and d.next_attempt_at <= ${now})`,
});

// What is due already comes first, so only webhooks without it have their leases taken here. Waits for no one: a process that
// takes the lease at the same time claims the deliveries.
const takeIdleLeases = statement('take the leases of webhooks that new deliveries are stored for', {
  parameters: { now: 'timestamptz', claim: 'uuid', until: 'timestamptz', webhookIds: 'uuid[]' },
  result: LEASED.types,
  sql: ({ now, claim, until, webhookIds }) => `
    update webhooks set lease = ${claim}, lease_until = ${until} where id in (
      select w.id from webhooks w where w.id = any(${unseenByPlanner(webhookIds)}) and ${IS_ON} and w.lease is null and not w.failing
        and not exists (select from deliveries d where d.webhook_id = w.id and ${OPEN} and d.next_attempt_at <= ${now})
      for no key update skip locked)
    returning ${LEASED.sql}`,
});

export function createDirectDeliveries(context: Context, holder: LeaseHolder): DirectDeliveries {
  const places = new Map<string, Place>();
  /** What undoes the places after a failure. */
  const undo: ((error: unknown) => void)[] = [];
  let length = 0;

  const openHeld = async (em: SqlEntityManager, webhooks: readonly DirectWebhook[]): Promise<void> => {
    for (const { id, lease: claim, revision } of webhooks) {
      const held = holder.find(id);
      if (held === undefined || held.lease.claim !== claim) continue;
      if (held.lease.revision !== revision) {
        holder.end(held.lease);
        continue;
      }
      const open = held.running.open();
      if (open === null) continue;
      // What is stored for it after all is found by the claim that follows.
      undo.push(() => open.close({ deliveries: [], hasMore: true }));
      places.set(id, { claim, ...open, deliveries: [], isFull: false });
    }
    if (places.size === 0) return;
    const waiting = await findWaiting(em, { now: context.clock.now(), webhookIds: [...places.keys()] });
    for (const { id } of waiting) {
      const place = places.get(id);
      if (place !== undefined) place.isFull = true;
    }
  };

  const takeIdle = async (em: SqlEntityManager, webhookIds: string[]): Promise<void> => {
    // With too few for all, a claim shares them out.
    if (webhookIds.length === 0 || webhookIds.length > holder.free()) return;
    const now = context.clock.now();
    const takenAt = context.clock.elapsed();
    const claim = context.random.uuid();
    const until = new Date(now.getTime() + WEBHOOK_LEASE_MS);
    undo.push((error) => {
      if (isDatabaseAway(error)) releaseUnused(context, claim);
    });
    for (const row of await takeIdleLeases(em, { now, claim, until, webhookIds })) {
      const lease = leaseOf(context, row, claim);
      if (lease === null) continue;
      const close = (first: FirstDeliveries) => holder.start({ lease, takenAt, first });
      places.set(row.id, { claim, capacity: LEASE_CAPACITY, deliveries: [], isFull: false, close });
    }
  };

  return {
    open: async (em, webhooks) => {
      length = holder.waitingLength();
      await openHeld(em, webhooks);
      // One whose lease is gone may still have attempts in flight here.
      const idle = webhooks.filter(({ id, lease }) => lease === null && holder.find(id) === undefined);
      await takeIdle(
        em,
        idle.map(({ id }) => id),
      );
    },
    claimFor: (webhookId, delivery) => {
      const place = places.get(webhookId);
      if (place === undefined || place.isFull) return null;
      length += delivery.body.length;
      place.isFull = place.deliveries.length >= place.capacity || length > WAITING_LENGTH_MAX;
      if (place.isFull) return null;
      place.deliveries.push(delivery);
      return place.claim;
    },
    begin: (stored) => {
      for (const { deliveries, isFull, close } of places.values()) {
        close({ deliveries: deliveries.filter(({ id }) => stored.has(id)), hasMore: isFull });
      }
      return stored.size;
    },
    giveUp: (error) => {
      for (const one of undo) one(error);
    },
  };
}
