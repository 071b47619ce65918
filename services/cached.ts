/** Caches the result of an expensive read, so that requests to a public endpoint cannot overload the database. */
import type { Clock } from './clock.ts';

/**
 * @param seconds how long a result is reused
 * @returns a function that reads at most once in that time, also for concurrent calls
 */
export function cached<Value>(clock: Clock, seconds: number, read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  let freshUntil = 0;
  return () => {
    if (reading === undefined || clock.now().getTime() >= freshUntil) {
      freshUntil = clock.now().getTime() + seconds * 1000;
      reading = read().catch((error: unknown) => {
        reading = undefined;
        throw error;
      });
    }
    return reading;
  };
}
