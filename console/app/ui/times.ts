/** Words for instants, in the browser's time zone and with the date order of its region, in English. */

import { offsetNote } from './zoned.ts';

/** The browser's IANA time zone. */
export const ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;

/** English, with the date and number formats of the person's region. */
export const LOCALE = regionalEnglish(navigator.language);

const exact = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'medium' });
const day = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', day: 'numeric', month: 'short' });
const distantDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'short' });
const relative = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });

/** The present instant that texts are written for is up to 20 seconds old, and clocks of servers and browsers differ. */
const NOW_MS = 30_000;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** From here on hours would round to a day, which has a name that depends on the date. */
const HOURS_MAX_MS = 23.5 * HOUR_MS;

/** Beyond this distance a date says more than a number of days. */
const RELATIVE_MAX_MS = 6 * DAY_MS;

function regionalEnglish(language: string): string {
  const locale = new Intl.Locale(language).maximize();
  return locale.language === 'en' ? language : `en-${locale.region ?? 'US'}`;
}

/** The day on the clock of the browser, counted from 1970. */
function dateNumber(instant: string | number): number {
  const date = new Date(instant);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS;
}

export function exactTime(instant: string): string {
  const date = new Date(instant);
  return `${exact.format(date)}${offsetNote(date.getTime(), ZONE)} (${ZONE})`;
}

/** Such as "in 5 minutes", "yesterday" or "Mon 3 Nov, 09:00". */
export function relativeTime(instant: string, now: number): string {
  const distance = new Date(instant).getTime() - now;
  const size = Math.abs(distance);
  if (distance >= 0 && distance < NOW_MS) return 'now';
  if (size < MINUTE_MS) return distance < 0 ? 'just now' : 'in less than a minute';
  if (size < HOUR_MS) return relative.format(Math.round(distance / MINUTE_MS), 'minute');
  if (size < HOURS_MAX_MS) return relative.format(Math.round(distance / HOUR_MS), 'hour');
  // Tomorrow is the next day of the calendar, however many hours away.
  if (size < RELATIVE_MAX_MS) return relative.format(dateNumber(instant) - dateNumber(now), 'day');
  const date = new Date(instant);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return `${(isThisYear ? day : distantDay).format(date)}, ${timeOf(date)}`;
}

/** Such as "Sat 21 Nov, 09:00", for what has a place in a plan. */
export function dayAndTime(instant: string): string {
  const date = new Date(instant);
  return `${day.format(date)}, ${timeOf(date)}`;
}

function timeOf(date: Date): string {
  return clock.format(date) + offsetNote(date.getTime(), ZONE);
}

/** Milliseconds between two instants, in words. */
export function duration(from: string, to: string): string {
  const ms = new Date(to).getTime() - new Date(from).getTime();
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

const count = new Intl.NumberFormat(LOCALE);
const shortCount = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });

/** A whole number; null is a number that no one reported, which is not zero. */
export function countInWords(value: number | null): string {
  if (value === null) return 'not reported';
  return value >= 100_000 ? shortCount.format(value) : count.format(value);
}
