/**
 * Periods of time as the first hexadecimal digits of ids, which sort by time: 7 digits are 17 minutes, 6 are almost 5 hours,
 * 5 are three days, 4 are seven weeks. The index of words has every post in one period of each length.
 */

const MINUTES = 7;
const HOURS = 6;
/** Digits of a period of three days, the length that a survey looks for words in. */
export const DAYS = 5;
const WEEKS = 4;

/** Each period is this many of the next shorter ones. */
export const PARTS = 16;

/** Of so many periods of three days a survey looks at parts at once (services/posts/search-survey.ts); so many form a group. */
export const SURVEYED = 16;

/** So many parts of a period are read at once where words are frequent: fewer steps cost less than some posts too many. */
export const PARTS_AT_ONCE = 4;

/** Periods, as digits, that are searched at once. */
export type Periods = readonly string[];

/** 16 to 32 periods of minutes and as many of hours, the newest first: all ids before `before` down to the {@link newestOfDays}. */
export function periodsNear(before: string): string[] {
  const periods: string[] = [];
  let newest = numberOf(before, MINUTES);
  for (const digits of [MINUTES, HOURS]) {
    const from = startOf(newest);
    periods.push(...range(newest, from, digits));
    newest = from / PARTS - 1;
  }
  return periods;
}

/** As {@link periodsNear}, but all of 5 hours: fewer, for words that are rare near. */
function hoursNear(before: string): string[] {
  const hours = startOf(numberOf(before, MINUTES)) / PARTS - 1;
  return range(numberOf(before, HOURS), startOf(hours), HOURS);
}

/** Whether as much time as between the two posts follows in {@link periodsNear}, so that these have about as many posts. */
export function areClose(newest: string, oldest: string): boolean {
  return numberOf(newest, HOURS) - numberOf(oldest, HOURS) < PARTS;
}

/** Number of the newest period of three days after the {@link periodsNear}. */
export function newestOfDays(before: string): number {
  const hours = startOf(numberOf(before, MINUTES)) / PARTS - 1;
  return startOf(hours) / PARTS - 1;
}

/**
 * The periods that cover all ids from `first` to `before`, the newest first, without overlaps: those near, then those of
 * three days. Where the words are frequent, shorter ones replace those of three days. Newer ones are few and in groups.
 *
 * @param dense the newest id, among those that a survey looks at, that begins a period where the words are frequent; null if none does
 */
export function periodsBefore(before: string, first: string, dense: string | null): Periods[] {
  const near = periodsNear(before);
  const days = range(newestOfDays(before), numberOf(first, DAYS), DAYS);
  const at = dense === null ? -1 : days.indexOf(dense.slice(0, DAYS));
  if (dense === null || at === -1) return alone([...near, ...days]);
  // Frequent in the first period of three days, they may be frequent near as well.
  const newer = at === 0 ? alone(near) : inGroups([...hoursNear(before), ...inWeeks(days.slice(0, at))]);
  const hours = dense.slice(0, HOURS);
  const parts = partsOf(dense.slice(0, DAYS));
  const split = parts.indexOf(hours);
  return [
    ...newer,
    ...(split > 0 ? [parts.slice(0, split)] : []),
    ...inGroups(partsOf(hours), PARTS_AT_ONCE),
    ...alone([...parts.slice(split + 1), ...days.slice(at + 1)]),
  ];
}

/** From the start of the longer period before the present one on. */
function startOf(newest: number): number {
  return Math.max((Math.floor(newest / PARTS) - 1) * PARTS, 0);
}

function partsOf(period: string): string[] {
  return range(PARTS - 1, 0, 1).map((part) => `${period}${part}`);
}

function alone(periods: Periods): Periods[] {
  return periods.map((period) => [period]);
}

function inGroups(periods: Periods, size = SURVEYED): Periods[] {
  return Array.from({ length: Math.ceil(periods.length / size) }, (_, index) =>
    periods.slice(index * size, (index + 1) * size),
  );
}

/** Whole weeks replace their days: the index decodes a page of each long period, also if no post of it has the words. */
function inWeeks(days: Periods): string[] {
  const weeks = Map.groupBy(days, (period) => period.slice(0, WEEKS));
  return [...weeks].flatMap(([week, some]) => (some.length === PARTS ? [week] : some));
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
