/** How long an allowance of a decision lasts. */
import { endOf, wallAt } from '../../ui/zoned.ts';

/** The longest that the service takes, and what it takes without a time. */
const LONGEST_MS = 86_400_000;

/** Until the last instant of the day; without a time when the day goes on for longer, as on days of 25 hours. */
export function untilTonight(now: number, zone: string): { until?: string } {
  const end = endOf(wallAt(now, zone).day, zone);
  return end - now < LONGEST_MS ? { until: new Date(end).toISOString() } : {};
}
