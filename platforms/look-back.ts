/** Where to begin looking for a post of which the answer was lost, on platforms where only time, place and text can name it. */
import type { SendPart } from './contract.ts';
import type { PlatformAnswer } from './http.ts';

/** Between two readings of a platform's own clock: its `Date` comes in whole seconds, its posts' times often do. */
const ROUNDING_MS = 5_000;

/** How far behind ours the clock of a platform may be that does not tell its time. */
const CLOCK_DIFFERENCE_MS = 60_000;

/**
 * @param answer the platform's list of posts, of which the `Date` header tells the platform's time
 * @returns from when on a post can be this part: milliseconds by the platform's clock
 */
export function earliestOf(part: SendPart, answer: PlatformAnswer, now: Date): number {
  const platformNow = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(platformNow)) return part.startedAt.getTime() - CLOCK_DIFFERENCE_MS;
  const age = now.getTime() - part.startedAt.getTime();
  return platformNow - age - ROUNDING_MS;
}

/** A text without what platforms may change of it: white space, and how accents are composed. */
export function essence(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, '');
}
