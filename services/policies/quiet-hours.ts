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
  const today = zoned(at, timezone).toPlainDate();
  const ends = [0, 1].flatMap((days) => instantsOf(today.add({ days }).toPlainDateTime(to), timezone));
  const end = ends.filter((instant) => instant > at.getTime()).toSorted((one, other) => one - other)[0];
  if (end === undefined) throw new Error(`${to} does not come again in ${timezone}`);
  return new Date(end);
}

/** When clocks of the zone show a wall time: twice where they are set back, and the change itself where they skip it. */
function instantsOf(wall: Temporal.PlainDateTime, timezone: string): number[] {
  const earlier = wall.toZonedDateTime(timezone, { disambiguation: 'earlier' });
  const later = wall.toZonedDateTime(timezone, { disambiguation: 'later' });
  if (earlier.toPlainDateTime().equals(wall)) return [earlier.epochMilliseconds, later.epochMilliseconds];
  const change = earlier.getTimeZoneTransition('next');
  return change === null ? [] : [change.epochMilliseconds];
}

function zoned(at: Date, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
}
