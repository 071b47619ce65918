/** Keeps the answer of a costly read for a while, so that a public endpoint cannot be used to load the database. */
import type { Clock } from './clock.ts';

/**
 * @param seconds how long an answer may be given again
 * @returns a function that reads at most once in that time, also when many ask at once
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
