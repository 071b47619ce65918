/** When the metrics of a post are read, as data (docs/contract/metrics.md#reads-of-a-post). */

const HOUR_MS = 3_600_000;

/** Reads that are an hour apart: one an hour after sending, then 48 more. */
const HOURLY = 49;

/** Reads of a complete history. */
export const READS = 78;

/** Place of the first read that is a day or more after sending. */
export const DAY_READ = 24;

/** How long after sending each read is due, in milliseconds, in order. */
export const READ_AFTER_MS: readonly number[] = Array.from({ length: READS }, (_, index) => {
  const number = index + 1;
  return (number <= HOURLY ? number : HOURLY + (number - HOURLY) * 24) * HOUR_MS;
});

/** How long after sending the first read is due, in milliseconds. */
export const FIRST_READ_AFTER_MS = READ_AFTER_MS[0] as number;

/** How long after sending a read is still tried again: until a day after the last one is due. */
const LAST_READ_AFTER_MS = (READ_AFTER_MS.at(-1) as number) + 24 * HOUR_MS;

/** Number of the newest read that is due, from 1; 0 while none is. Earlier reads that were missed are not repeated. */
export function dueRead(sentAt: Date, now: Date): number {
  const age = now.getTime() - sentAt.getTime();
  return READ_AFTER_MS.findLastIndex((after) => after <= age) + 1;
}

/** When the read after the due ones comes; null when there is none. */
export function nextReadAt(sentAt: Date, now: Date): Date | null {
  const after = READ_AFTER_MS[dueRead(sentAt, now)];
  return after === undefined ? null : new Date(sentAt.getTime() + after);
}

/** When a read is tried again after a pause; null when that is too late. The posts of a server that is gone would wait for ever. */
export function readAfterPause(sentAt: Date, pauseEnd: Date): Date | null {
  return pauseEnd.getTime() - sentAt.getTime() > LAST_READ_AFTER_MS ? null : pauseEnd;
}
