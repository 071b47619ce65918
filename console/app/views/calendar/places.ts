/** The places of the calendar that take posts: the time that an hour of a day has, and where a dropped post goes. */
import { type Day, endOf, instantOf, offsetAt, QUARTER_MS, wallAt } from '../../ui/zoned.ts';
import type { PostEntry, SlotEntry } from './entries.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** When a new post of a day goes out, unless another time is chosen. */
const MORNING = '09:00';

/** The time between two instants, the second not included, in which clocks show an hour and do not change. */
export interface HourSpan {
  readonly start: number;
  readonly end: number;
}

/** A day keeps the time of the post, an hour its minutes, a free slot of its connection decides both. */
export type DropPlace = { readonly day: Day } | { readonly span: HourSpan } | { readonly slot: SlotEntry };

/** An hour of a day. It has no time if clocks skip it, a part if they skip a part, two times if they go back in it. */
export interface HourOfDay {
  /** 00 to 23. */
  readonly hour: string;
  readonly spans: readonly HourSpan[];
}

export const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

/** The 24 hours of a day. Their times are the whole day, each instant in one of them. */
export function hoursOf(day: Day, zone: string): HourOfDay[] {
  const spans: { hour: string; offset: number; start: number; end: number }[] = [];
  const last = endOf(day, zone);
  for (let start = instantOf({ day, time: '00:00' }, zone); start <= last; start += QUARTER_MS) {
    const end = start + QUARTER_MS;
    const hour = wallAt(start, zone).time.slice(0, 2);
    const offset = offsetAt(start, zone);
    const before = spans.at(-1);
    if (before?.hour === hour && before.offset === offset) before.end = end;
    else spans.push({ hour, offset, start, end });
  }
  return HOURS.map((hour) => ({ hour, spans: spans.filter((span) => span.hour === hour) }));
}

/** Whether a span has an instant. */
export function isIn({ start, end }: HourSpan, instant: number): boolean {
  return start <= instant && instant < end;
}

/**
 * The time that a day offers for a new post: the morning, or if it is over today the next full hour on the clocks, and in the last
 * hour the last minute.
 */
export function newPostTime(day: Day, now: number, zone: string): number {
  const morning = instantOf({ day, time: MORNING }, zone);
  if (morning > now || wallAt(now, zone).day !== day) return morning;
  const offset = offsetAt(now, zone);
  const nextHour = Math.ceil((now + offset + 1) / HOUR_MS) * HOUR_MS - offset;
  // The hour after the last one is tomorrow.
  return Math.min(nextHour, endOf(day, zone) + 1 - MINUTE_MS);
}

/** Where a post goes that is dropped on a place. */
export function targetOf({ instant, post }: PostEntry, place: DropPlace, zone: string): number {
  if ('span' in place) return inSpan(instant, place.span, zone);
  if ('day' in place) return onDay(instant, place.day, zone);
  const { slot } = place;
  return slot.connection.id === post.connectionId ? slot.instant : onDay(instant, slot.wall.day, zone);
}

/** The same time on the clocks of a day. */
export function onDay(instant: number, day: Day, zone: string): number {
  return instantOf({ ...wallAt(instant, zone), day }, zone) + (instant % MINUTE_MS);
}

/** The same minute of an hour. One that the span does not have becomes the nearest that it has. */
function inSpan(instant: number, { start, end }: HourSpan, zone: string): number {
  const minutes = minuteOf(instant, zone) - minuteOf(start, zone);
  const last = (end - start) / MINUTE_MS - 1;
  return start + Math.min(Math.max(minutes, 0), last) * MINUTE_MS + (instant % MINUTE_MS);
}

function minuteOf(instant: number, zone: string): number {
  return Number(wallAt(instant, zone).time.slice(3));
}
