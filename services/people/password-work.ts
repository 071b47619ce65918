/**
 * Limits concurrent password hashing: each hash takes 19 MB and a thread of the pool that files and DNS lookups also
 * use.
 */
import pLimit from 'p-limit';
import { ServiceError } from '../../errors/service-error.ts';

const AT_ONCE = 2;

/** Maximum queue length; a request beyond it would wait for seconds. */
const WAITING_MAX = 50;

const limit = pLimit(AT_ONCE);

/** @throws ServiceError `too many requests` when the queue is full */
export function refuseWhenFull(): void {
  if (limit.pendingCount < WAITING_MAX) return;
  throw new ServiceError('too many requests', 'Too many people are signing in at the moment. Try again in a minute.');
}

/**
 * Runs `work` when capacity is free.
 *
 * @throws ServiceError `too many requests`, before any hashing
 */
export async function passwordWork<Result>(work: () => Promise<Result>): Promise<Result> {
  refuseWhenFull();
  return limit(work);
}
