/** The weekly slots of a queue, and the instants at which they come. */
import type { Outputs } from '../../data/api-types.ts';
import { addDays, instantOf, wallAt, weekdayOf } from '../../ui/zoned.ts';

export type Slot = Outputs['connections']['list']['connections'][number]['queueSlots'][number];

/** A post can be scheduled at most this far ahead. */
export const HORIZON_MS = 30 * 86_400_000;

/** Days of the week in the order of the grid. */
export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 0] as const;

/** The most slots that a connection may have. */
export const SLOTS_MAX = 50;

/** The instants of slots, later than `after` and at most `until`, ascending. Two slots on one instant are one. */
export function slotInstants(slots: readonly Slot[], zone: string, after: number, until: number): number[] {
  const found = new Set<number>();
  const last = addDays(wallAt(until, zone).day, 1);
  for (let day = addDays(wallAt(after, zone).day, -1); day <= last; day = addDays(day, 1)) {
    for (const { weekday, time } of slots) {
      const instant = weekday === weekdayOf(day) ? instantOf({ day, time }, zone) : after;
      if (instant > after && instant <= until) found.add(instant);
    }
  }
  return [...found].toSorted((a, b) => a - b);
}

export function isSameSlot(one: Slot, other: Slot): boolean {
  return one.weekday === other.weekday && one.time === other.time;
}

/** The slots with others added, none twice. */
export function withSlots(slots: readonly Slot[], added: readonly Slot[]): Slot[] {
  return [...withoutSlots(slots, added), ...added];
}

export function withoutSlots(slots: readonly Slot[], removed: readonly Slot[]): Slot[] {
  return slots.filter((slot) => !removed.some((other) => isSameSlot(slot, other)));
}
