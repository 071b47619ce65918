/** Deliveries: which statuses the list can be filtered by, which can be replayed, and when the list is read again. */
import type { Inputs, Outputs } from '../../data/trpc.ts';

export type Delivery = Outputs['webhooks']['deliveries']['deliveries'][number];
export type ListedStatus = NonNullable<Inputs['webhooks']['deliveries']['status']>;

export const LISTED_STATUSES = ['pending', 'delivered', 'failed', 'dead'] as const satisfies readonly ListedStatus[];

/** The service sends a delivery at most this often before it is dead. */
export const ATTEMPTS_MAX = 7;

/** No event reports deliveries, so they are asked for: often while an attempt is near, else rarely. */
const SOON_MS = 60_000;
const OFTEN_MS = 2_000;
const RARELY_MS = 15_000;

export function canReplay({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'delivered' || status === 'failed' || status === 'dead';
}

/** Milliseconds after which deliveries are read again. */
export function readAgainMs(deliveries: readonly Pick<Delivery, 'status' | 'nextAttemptAt'>[]): number {
  const now = Date.now();
  const isNear = ({ status, nextAttemptAt }: Pick<Delivery, 'status' | 'nextAttemptAt'>) =>
    status === 'processing' || (status === 'pending' && new Date(nextAttemptAt).getTime() < now + SOON_MS);
  return deliveries.some(isNear) ? OFTEN_MS : RARELY_MS;
}
