/** Keeps the hashing of passwords to a few at a time: each takes 19 MB and a thread that files and look-ups need too. */
import { ServiceError } from '../../errors/service-error.ts';
import { createTurns } from '../turns.ts';

const AT_ONCE = 2;

/** How many may wait; whoever comes then would wait for seconds. */
const WAITING_MAX = 50;

const turns = createTurns(AT_ONCE);

/**
 * Runs `work` when it is its turn.
 *
 * @throws ServiceError `too many requests`, before anything was hashed
 */
export async function passwordWork<Result>(work: () => Promise<Result>): Promise<Result> {
  if (turns.waiting() >= WAITING_MAX) {
    throw new ServiceError('too many requests', 'Too many people are signing in just now. Try again in a minute.');
  }
  return turns.take(work);
}
