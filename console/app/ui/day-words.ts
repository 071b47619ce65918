/** Words for days, and for instants in a chosen time zone. */
import { LOCALE } from './times.ts';
import { type Day, offsetNote } from './zoned.ts';

const long = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const month = new Intl.DateTimeFormat(LOCALE, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const shortWeekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'short', timeZone: 'UTC' });
const weekday = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', timeZone: 'UTC' });

/** Such as "Sunday, 29 March". */
export function dayInWords(day: Day): string {
  return long.format(new Date(day));
}

/** Such as "March 2026". */
export function monthInWords(day: Day): string {
  return month.format(new Date(day));
}

/** The name of a weekday, 0 (Sunday) to 6. */
export function weekdayName(number: number): string {
  // The first of January 2023 was a Sunday.
  return weekday.format(Date.UTC(2023, 0, 1 + number));
}

/** Such as "Sun". */
export function weekdayShort(number: number): string {
  return shortWeekday.format(Date.UTC(2023, 0, 1 + number));
}

const zoned = new Map<string, Intl.DateTimeFormat>();

/** Such as "Sun 29 Mar, 09:00" in a zone; with the offset if clocks show this time twice: "Sun 25 Oct, 02:30 UTC+1". */
export function zonedTime(instant: number, zone: string): string {
  const fields = { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const;
  const format = zoned.get(zone) ?? new Intl.DateTimeFormat(LOCALE, { ...fields, timeZone: zone });
  zoned.set(zone, format);
  return format.format(instant) + offsetNote(instant, zone);
}
