/**
 * Periods of time as the first hexadecimal digits of ids, which sort by time: 7 digits are 17 minutes, 6 are almost 5 hours,
 * 5 are three days.
 */

/** Lengths of periods, the shortest period first. The index of words has every post in one period of each. */
export const PERIOD_DIGITS = [7, 6, 5] as const;

/** Each period is this many of the next shorter ones. */
const PARTS = 16;

/**
 * The periods that cover all ids from `first` to `before`, the newest first, without overlaps: 16 to 32 of the shorter
 * ones, then the longest.
 */
export function periodsBefore(before: string, first: string): string[] {
  const periods: string[] = [];
  let newest = periodOf(before, PERIOD_DIGITS[0]);
  for (const digits of PERIOD_DIGITS) {
    const isLongest = digits === PERIOD_DIGITS.at(-1);
    const oldest = periodOf(first, digits);
    // From the start of the longer period before the present one on.
    const from = isLongest ? oldest : Math.max((Math.floor(newest / PARTS) - 1) * PARTS, 0);
    for (let period = newest; period >= from; period -= 1) periods.push(period.toString(16).padStart(digits, '0'));
    newest = from / PARTS - 1;
  }
  return periods;
}

function periodOf(id: string, digits: number): number {
  return Number.parseInt(id.slice(0, digits), 16);
}
