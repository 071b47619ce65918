/** Computes the instants of the slots of a connection's queue, across clock changes. Pure. */
import type { QueueSlot } from '../../entities/connection.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** The largest known clock change of a zone is a day: crossing the date line, as Apia did in 2011. */
const LONGEST_JUMP_MS = DAY_MS;

/** The time between two clock changes, with a constant offset. All values in milliseconds, `end` exclusive. */
interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
  /** How far clocks were moved at `start`: above 0 in spring, below 0 in autumn. */
  readonly jump: number;
}

/** Minutes after midnight of each weekday's slots, ascending and unique; the index is the weekday. */
type Week = readonly (readonly number[])[];

/**
 * Generates the instants of a connection's slots, ascending and unique, later than `after` and at most `until`.
 *
 * Interprets wall times as Temporal's "compatible" does: a slot in a spring gap is shifted by the gap's length, and a
 * slot that occurs twice in autumn takes the first occurrence. It calls Temporal once per clock change, not once per
 * slot.
 *
 * @throws RangeError when the runtime does not know the zone
 */
export function* slotTimes(
  slots: readonly QueueSlot[],
  timezone: string,
  after: Date,
  until: Date,
): Generator<Date, void, undefined> {
  if (slots.length === 0) return;
  const week = readWeek(slots);
  const [past, last] = [after.getTime(), until.getTime()];
  for (const stretch of stretches(timezone, past, last)) {
    for (const instant of instantsIn(stretch, week)) {
      if (instant > last) return;
      if (instant > past) yield new Date(instant);
    }
  }
}

function readWeek(slots: readonly QueueSlot[]): Week {
  const week = Array.from({ length: 7 }, () => new Set<number>());
  for (const { weekday, time } of slots) {
    const [hours, minutes] = time.split(':').map(Number) as [number, number];
    week[weekday]?.add(hours * 60 + minutes);
  }
  return week.map(ascending);
}

/**
 * Splits the time from `past` to `last` at the zone's clock changes. Starts earlier than `past`, to include a change
 * before it whose gap or overlap still lasts.
 */
function* stretches(timezone: string, past: number, last: number): Generator<Stretch, void, undefined> {
  let start = past - LONGEST_JUMP_MS;
  let zoned: Temporal.ZonedDateTime | null = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timezone);
  let before = offsetOf(zoned);
  while (zoned !== null && start <= last) {
    const offset = offsetOf(zoned);
    zoned = zoned.getTimeZoneTransition('next');
    const end = Math.min(zoned?.epochMilliseconds ?? Infinity, last + 1);
    yield { start, end, offset, jump: offset - before };
    start = end;
    before = offset;
  }
}

function offsetOf(zoned: Temporal.ZonedDateTime): number {
  return zoned.offsetNanoseconds / 1_000_000;
}

/** The slots' instants in the stretch, ascending and unique. */
function* instantsIn({ start, end, offset, jump }: Stretch, week: Week): Generator<number, void, undefined> {
  const settled = Math.min(start + Math.abs(jump), end);
  if (jump > 0) {
    // Wall times in the gap fall after the change, among the regular ones, so the two are merged.
    const skipped = wallTimes(week, start + offset - jump, start + offset).map((wall) => wall - offset + jump);
    const shown = wallTimes(week, start + offset, settled + offset).map((wall) => wall - offset);
    yield* ascending(new Set([...skipped, ...shown]));
  }
  // Until `settled`, clocks that were moved back only repeat wall times.
  for (const wall of wallTimes(week, settled + offset, end + offset)) yield wall - offset;
}

/**
 * The slots' wall times in [from, to), ascending. A wall time is represented as the instant that it would be in UTC.
 */
function* wallTimes(week: Week, from: number, to: number): Generator<number, void, undefined> {
  for (let day = Math.floor(from / DAY_MS) * DAY_MS; day < to; day += DAY_MS) {
    for (const minutes of week[new Date(day).getUTCDay()] ?? []) {
      const wall = day + minutes * MINUTE_MS;
      if (wall >= from && wall < to) yield wall;
    }
  }
}

function ascending(numbers: Iterable<number>): number[] {
  return [...numbers].toSorted((a, b) => a - b);
}
