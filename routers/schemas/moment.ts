/** Time bounds of a list, as days in UTC or instants; both ends are inclusive. Pure. */

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const DAY_MS = 86_400_000;

/**
 * No post is older than the first bound. No database writes a year of five digits in a form that every other one reads.
 */
const BOUNDS = { first: 0, last: Date.UTC(9999, 11, 31, 23, 59, 59, 999) };

/** The instant at which a day, or the instant itself, begins. */
export function startOf(moment: string): Date {
  return within(new Date(moment).getTime());
}

/** The first instant, to the millisecond, after a day or an instant. */
export function endOf(moment: string): Date {
  return within(new Date(moment).getTime() + (DAY.test(moment) ? DAY_MS : 1));
}

function within(ms: number): Date {
  return new Date(Math.min(Math.max(ms, BOUNDS.first), BOUNDS.last));
}
