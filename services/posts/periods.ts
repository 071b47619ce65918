/**
 * Periods of time as the first hexadecimal digits of ids, which sort by time: 7 digits are 17 minutes, 6 are almost 5 hours,
 * 5 are three days.
 */

/** Lengths of periods, the shortest period first. The index of words has every post in one period of each. */
export const PERIOD_DIGITS = [7, 6, 5] as const;
const [, MIDDLE, LONGEST] = PERIOD_DIGITS;

/** Each period is this many of the next shorter ones. */
export const PARTS = 16;

/** Of so many of the longest periods a survey looks at parts at once (services/posts/search-survey.ts); so many form a group. */
export const SURVEYED = 8;

/** Periods, as digits, that are searched at once. */
export type Periods = readonly string[];

/** 16 to 32 periods of each of the shorter lengths, the newest first: all ids before `before` down to the {@link newestLongest}. */
export function periodsNear(before: string): string[] {
  const periods: string[] = [];
  let newest = numberOf(before, PERIOD_DIGITS[0]);
  for (const digits of PERIOD_DIGITS.slice(0, -1)) {
    const from = startOf(newest);
    periods.push(...range(newest, from, digits));
    newest = from / PARTS - 1;
  }
  return periods;
}

/** Whether as much time as between the two posts follows in {@link periodsNear}, so that these have about as many posts. */
export function areClose(newest: string, oldest: string): boolean {
  return numberOf(newest, MIDDLE) - numberOf(oldest, MIDDLE) < PARTS;
}

/** Number of the newest of the longest periods that follow the {@link periodsNear}. */
export function newestLongest(before: string): number {
  const [digits] = PERIOD_DIGITS;
  const middle = startOf(numberOf(before, digits)) / PARTS - 1;
  return startOf(middle) / PARTS - 1;
}

/**
 * The periods that cover all ids from `first` to `before`, the newest first, without overlaps: those near, then the
 * longest. Where the words are frequent, shorter ones replace the longest, and newer periods are in groups.
 *
 * @param dense the newest id, among those that a survey looks at, that begins a period where the words are frequent; null if none does
 */
export function periodsBefore(before: string, first: string, dense: string | null): Periods[] {
  const near = periodsNear(before).map((period) => [period]);
  const longest = range(newestLongest(before), numberOf(first, LONGEST), LONGEST);
  const at = dense === null ? -1 : longest.indexOf(dense.slice(0, LONGEST));
  if (dense === null || at === -1) return [...near, ...longest.map((period) => [period])];
  // Frequent in the first of the longest periods, they may be frequent near as well.
  const grouped = at === 0 ? near : inGroups([...periodsNear(before), ...longest.slice(0, at)]);
  const middle = dense.slice(0, MIDDLE);
  const parts = partsOf(dense.slice(0, LONGEST));
  const split = parts.indexOf(middle);
  return [
    ...grouped,
    ...(split > 0 ? [parts.slice(0, split)] : []),
    ...[...partsOf(middle), ...parts.slice(split + 1), ...longest.slice(at + 1)].map((period) => [period]),
  ];
}

/** From the start of the longer period before the present one on. */
function startOf(newest: number): number {
  return Math.max((Math.floor(newest / PARTS) - 1) * PARTS, 0);
}

function partsOf(period: string): string[] {
  return range(PARTS - 1, 0, 1).map((part) => `${period}${part}`);
}

function inGroups(periods: Periods): Periods[] {
  return Array.from({ length: Math.ceil(periods.length / SURVEYED) }, (_, index) =>
    periods.slice(index * SURVEYED, (index + 1) * SURVEYED),
  );
}

/** Periods by their numbers, the newest first. */
function range(newest: number, oldest: number, digits: number): string[] {
  return Array.from({ length: Math.max(newest - oldest + 1, 0) }, (_, index) =>
    (newest - index).toString(16).padStart(digits, '0'),
  );
}

function numberOf(id: string, digits: number): number {
  return Number.parseInt(id.slice(0, digits), 16);
}
