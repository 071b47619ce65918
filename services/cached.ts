/** Caches the result of an expensive read, so that requests to a public endpoint cannot overload the database. */
import type { Clock } from './clock.ts';

/**
 * @param seconds how long a result is reused
 * @returns a function that reads at most once in that time, also for concurrent calls
 */
export function cached<Value>(clock: Clock, seconds: number, read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  let readAt = 0;
  return () => {
    const age = clock.now().getTime() - readAt;
    // Negative when the clock was set back.
    if (reading === undefined || age < 0 || age >= seconds * 1000) {
      readAt += age;
      reading = read().catch((error: unknown) => {
        reading = undefined;
        throw error;
      });
    }
    return reading;
  };
}
