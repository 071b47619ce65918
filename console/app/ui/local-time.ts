/** Wall times as fields of the type datetime-local hold them. */
import { instantOf, instantsOf, type Wall, wallAt } from './zoned.ts';

export interface LocalTime {
  /** Such as 2026-10-25T02:30; empty until it is chosen. */
  readonly time: string;
  /** Whether it is the second of two equal times. The text alone cannot say so. */
  readonly isSecond: boolean;
}

export function localTimeAt(instant: number, zone: string): LocalTime {
  const { day, time, isSecond = false } = wallAt(instant, zone);
  return { time: `${day}T${time}`, isSecond };
}

/** The instant of a field; null while the field is empty. */
export function instantOfField(field: LocalTime, zone: string): number | null {
  return field.time === '' ? null : instantOf(wallOf(field), zone);
}

/** The two instants of a time that clocks show twice; empty for any other time. */
export function repeatsOf(field: LocalTime, zone: string): number[] {
  const instants = field.time === '' ? [] : instantsOf(wallOf(field), zone);
  return instants.length < 2 ? [] : instants;
}

// Some browsers add seconds.
function wallOf({ time, isSecond }: LocalTime): Wall {
  return { day: time.slice(0, 10), time: time.slice(11, 16), isSecond };
}
