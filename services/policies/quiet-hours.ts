/** Wall times of a zone between which nothing goes out. They may go over midnight. */
import type { PolicyRules } from '../../entities/policy.ts';

type QuietHours = NonNullable<PolicyRules['quietHours']>;

export function isQuiet({ from, to, timezone }: QuietHours, at: Date): boolean {
  const time = zoned(at, timezone).toPlainTime();
  const compare = (wall: string) => Temporal.PlainTime.compare(time, wall);
  const overMidnight = Temporal.PlainTime.compare(from, to) > 0;
  return overMidnight ? compare(from) >= 0 || compare(to) < 0 : compare(from) >= 0 && compare(to) < 0;
}

/** The end of the quiet hours in which `at` is. */
export function quietEnd({ to, timezone }: QuietHours, at: Date): Date {
  const now = zoned(at, timezone);
  const today = now.withPlainTime(to);
  const end = Temporal.ZonedDateTime.compare(today, now) > 0 ? today : now.add({ days: 1 }).withPlainTime(to);
  return new Date(end.epochMilliseconds);
}

function zoned(at: Date, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
}
