/** The instants of the weekly digest: Mondays at 08:00 in a time zone, across clock changes. Pure. */
import { isTimeZone } from '../scheduling/time-zone.ts';

const HOUR = '08:00';

/** What one digest is about: from one Monday at 08:00 to the next. With a clock change it has 167 or 169 hours. */
export interface DigestWeek {
  readonly from: Date;
  readonly to: Date;
  readonly zone: string;
}

/** @param zone as stored; a zone that the runtime does not know any more counts as UTC */
export function digestZone(zone: string | null): string {
  return zone !== null && isTimeZone(zone) ? zone : 'UTC';
}

/** The latest week that is over. */
export function lastWeek(zone: string, now: Date): DigestWeek {
  const monday = latestMonday(zone, now);
  return { from: morningOf(monday.subtract({ weeks: 1 }), zone), to: morningOf(monday, zone), zone };
}

/** The first Monday at 08:00 later than `now`. */
export function nextDigestAt(zone: string, now: Date): Date {
  return morningOf(latestMonday(zone, now).add({ weeks: 1 }), zone);
}

/** The same Monday in another zone. */
export function inZone(at: Date, before: string, zone: string): Date {
  return morningOf(zoned(at, before).toPlainDate(), zone);
}

/** The latest Monday whose 08:00 is not in the future. */
function latestMonday(zone: string, now: Date): Temporal.PlainDate {
  const today = zoned(now, zone).toPlainDate();
  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  return morningOf(monday, zone) > now ? monday.subtract({ weeks: 1 }) : monday;
}

function zoned(instant: Date, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(instant.getTime()).toZonedDateTimeISO(zone);
}

function morningOf(date: Temporal.PlainDate, timeZone: string): Date {
  return new Date(date.toZonedDateTime({ timeZone, plainTime: HOUR }).epochMilliseconds);
}
