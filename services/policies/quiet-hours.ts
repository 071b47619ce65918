/** Wall times of a zone between which nothing goes out (docs/contract/policies.md#quiet-hours). Pure. */
import type { PolicyRules } from '../../entities/policy.ts';

type QuietHours = NonNullable<PolicyRules['quietHours']>;

const DAY_MS = 86_400_000;

export function isQuiet({ from, to, timezone }: QuietHours, at: Date): boolean {
  const time = zoned(at, timezone).toPlainTime();
  const compare = (wall: string) => Temporal.PlainTime.compare(time, wall);
  const overMidnight = Temporal.PlainTime.compare(from, to) > 0;
  return overMidnight ? compare(from) >= 0 || compare(to) < 0 : compare(from) >= 0 && compare(to) < 0;
}

/** The first instant from `at` on that is not quiet. */
export function quietEnd(hours: QuietHours, at: Date): Date {
  let end = at;
  while (isQuiet(hours, end)) end = nextEdge(hours, end);
  return end;
}

/** When the clocks show `to`, or are changed before that: nothing else ends quiet hours. */
function nextEdge({ to, timezone }: QuietHours, at: Date): Date {
  const local = zoned(at, timezone);
  const left = local.toPlainTime().until(to).total('milliseconds');
  const shown = at.getTime() + (left > 0 ? left : left + DAY_MS);
  const change = local.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity;
  return new Date(Math.min(shown, change));
}

function zoned(at: Date, timezone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timezone);
}
