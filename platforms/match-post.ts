/**
 * Where to start the search for a post whose response was lost, on platforms that can match only time, place and
 * text.
 */
import type { SendPart } from './contract.ts';
import { Inconclusive } from './failure.ts';
import type { PlatformAnswer } from './http.ts';

/** Tolerance between two readings of a platform's clock: `Date` has whole seconds, and post times often do too. */
const ROUNDING_MS = 5_000;

/** How far a platform's clock may be behind ours if it does not report its time. */
const CLOCK_DIFFERENCE_MS = 60_000;

/**
 * @param answer the platform's list of posts; its `Date` header gives the platform's time
 * @returns earliest time at which a post can be this part, in milliseconds by the platform's clock; null if nothing tells, because our
 * clock was set back since the send began
 */
export function earliestIfKnown(part: SendPart, answer: PlatformAnswer, now: Date): number | null {
  const age = now.getTime() - part.startedAt.getTime();
  if (age < 0) return null;
  const platformNow = Date.parse(answer.headers.get('date') ?? '');
  if (Number.isNaN(platformNow)) return part.startedAt.getTime() - CLOCK_DIFFERENCE_MS;
  return platformNow - age - ROUNDING_MS;
}

/**
 * The same for a search that decides whether the part is sent again.
 *
 * @throws Inconclusive if our clock was set back since the send began: every post would count as too old
 */
export function earliestOf(part: SendPart, answer: PlatformAnswer, now: Date): number {
  return earliestIfKnown(part, answer, now) ?? setBack();
}

/** @throws Inconclusive if our clock was set back since the instant */
export function requirePast(instant: Date, now: Date): void {
  if (now < instant) setBack();
}

function setBack(): never {
  throw new Inconclusive('The clock of Carillon was set back since the send began, so the search cannot tell.');
}

/** As {@link earliestOf}, for a part that an earlier send may have published already. */
export function earliestOfSends(part: SendPart, answer: PlatformAnswer, now: Date): number {
  return earliestOf({ ...part, startedAt: part.unknownSince ?? part.startedAt }, answer, now);
}

/** A text without what platforms may change in it: white space, the composition of accents, invalid characters. */
export function comparableText(text: string): string {
  return text.toWellFormed().normalize('NFC').replace(/\s+/gu, '');
}
