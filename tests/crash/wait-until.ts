/** Waits on the real clock for a condition, never for a fixed time. */
import { setTimeout as wait } from 'node:timers/promises';

/** Milliseconds between two checks. */
const POLL_INTERVAL_MS = 20;

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
  timeoutMs = 90_000,
): Promise<Found> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await check();
    if (found !== false && found !== null && found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${timeoutMs} ms`);
    await wait(POLL_INTERVAL_MS);
  }
}
