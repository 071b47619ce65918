/** Waits on the real clock for a condition, never for a fixed time. */
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Milliseconds between two checks: a tenth of the time that has passed, within these limits. Asking again and again would take
 * processor time from what is awaited.
 */
const POLL_MS = { least: 20, most: 250 };

/**
 * Repeats `check` until it returns a value.
 *
 * @param what is awaited, for the message
 * @returns what `check` returned
 * @throws Error when nothing came in time; what `check` throws passes through
 */
export async function waitUntil<Found>(
  what: string,
  check: () => Promise<Found | false | null | undefined> | Found | false | null | undefined,
  timeoutMs = 180_000,
): Promise<Found> {
  const began = performance.now();
  for (;;) {
    const found = await check();
    if (found !== false && found !== null && found !== undefined) return found;
    const passedMs = performance.now() - began;
    if (passedMs > timeoutMs) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await wait(Math.min(Math.max(passedMs / 10, POLL_MS.least), POLL_MS.most));
  }
}
