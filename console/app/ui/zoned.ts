/**
 * Days and wall times in any time zone, correct across clock changes. It uses Intl alone, because not every browser has
 * Temporal; tests/console/zoned.test.ts compares it with Temporal.
 */

/** A calendar day, such as 2026-03-29. */
export type Day = string;

/** What clocks show in a minute. It leads back to that minute, also when clocks go back and show the same again. */
export interface Wall {
  readonly day: Day;
  /** HH:MM. */
  readonly time: string;
  /** Whether it is the second time at which clocks show this. Of a time that they show once, it has no effect. */
  readonly isSecond?: boolean;
}

const DAY_MS = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const fields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-US', { ...fields, second: '2-digit', hourCycle: 'h23', timeZone: zone });
  formats.set(zone, format);
  return format;
}

/** Whether the browser knows a zone. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** What the clocks of a zone show, as the instant at which clocks in UTC show the same. */
function shownAt(instant: number, zone: string): number {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Since 1972, clocks of all zones change at quarters of an hour in UTC only. */
export const QUARTER_MS = 900_000;

/** Offsets by zone and quarter of an hour: Intl takes long, and a calendar asks for thousands of instants. */
const offsets = new Map<string, Map<number, number>>();

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
export function offsetAt(instant: number, zone: string): number {
  const ofZone = offsets.get(zone) ?? new Map<number, number>();
  offsets.set(zone, ofZone);
  const quarter = Math.floor(instant / QUARTER_MS);
  const known = ofZone.get(quarter);
  if (known !== undefined) return known;
  const offset = shownAt(quarter * QUARTER_MS, zone) - quarter * QUARTER_MS;
  ofZone.set(quarter, offset);
  return offset;
}

/** The day and the time that the clocks of a zone show. */
export function wallAt(instant: number, zone: string): Wall {
  const shown = instant + offsetAt(instant, zone);
  const text = new Date(shown).toISOString();
  const [first] = showing(shown, zone);
  return { day: text.slice(0, 10), time: text.slice(11, 16), isSecond: first !== undefined && first < instant };
}

/** The instants at which clocks show a wall time: none if they skip it, two if they show it twice. */
export function instantsOf({ day, time }: Wall, zone: string): number[] {
  return showing(Date.parse(`${day}T${time}:00Z`), zone);
}

/**
 * The instant of a wall time. One that clocks skip moves on by the length of the gap; one that they show twice is the
 * first unless it says that it is the second. So does the service (docs/contract/scheduling.md#wall-times).
 */
export function instantOf({ day, time, isSecond = false }: Wall, zone: string): number {
  const shown = Date.parse(`${day}T${time}:00Z`);
  const [first, second = first] = showing(shown, zone);
  const skipped = () => shown - offsetAt(shown - DAY_MS, zone);
  return (isSecond ? second : first) ?? skipped();
}

/** When clocks show what those in UTC show at `shown`: with the offset of the day before, and with that of the day after. */
function showing(shown: number, zone: string): number[] {
  const offsets = new Set([offsetAt(shown - DAY_MS, zone), offsetAt(shown + DAY_MS, zone)]);
  const instants = [...offsets].map((offset) => shown - offset);
  return instants.filter((instant) => instant + offsetAt(instant, zone) === shown);
}

/** Such as "02:30", with the offset if clocks show this time twice on the day: "02:30 UTC+1". */
export function timeAt(instant: number, zone: string): string {
  return wallAt(instant, zone).time + offsetNote(instant, zone);
}

/** Tells apart the two instants at which clocks show the same, such as " UTC+1"; empty for other instants. */
export function offsetNote(instant: number, zone: string): string {
  const offset = offsetAt(instant, zone);
  if (showing(instant + offset, zone).length < 2) return '';
  const minutes = Math.abs(offset) / 60_000;
  const rest = minutes % 60 === 0 ? '' : `:${String(minutes % 60).padStart(2, '0')}`;
  return ` UTC${offset < 0 ? '-' : '+'}${Math.floor(minutes / 60)}${rest}`;
}

/** The last millisecond of a day. */
export function endOf(day: Day, zone: string): number {
  return instantOf({ day: addDays(day, 1), time: '00:00' }, zone) - 1;
}

export function addDays(day: Day, count: number): Day {
  return new Date(Date.parse(day) + count * DAY_MS).toISOString().slice(0, 10);
}

/** The same day of another month, or that month's last day. */
export function addMonths(day: Day, count: number): Day {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const last = new Date(Date.UTC(year, month + count, 0));
  return addDays(last.toISOString().slice(0, 10), Math.min(date, last.getUTCDate()) - last.getUTCDate());
}

/** 0 (Sunday) to 6. */
export function weekdayOf(day: Day): number {
  return new Date(day).getUTCDay();
}

/** Weeks begin on Monday. */
export function weekOf(day: Day): Day[] {
  const monday = addDays(day, -((weekdayOf(day) + 6) % 7));
  return Array.from({ length: 7 }, (_, index) => addDays(monday, index));
}

/** The days of the weeks that a month touches. */
export function monthOf(day: Day): Day[] {
  const first = `${day.slice(0, 7)}-01`;
  const start = weekOf(first)[0] ?? first;
  const end = weekOf(addDays(addMonths(first, 1), -1))[6] ?? first;
  const length = Math.round((Date.parse(end) - Date.parse(start)) / DAY_MS) + 1;
  return Array.from({ length }, (_, index) => addDays(start, index));
}

/** Whether a text is a day of the years 1000 to 9998, so that the months beside it have years of four digits too. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text < '1000' || text >= '9999') return false;
  return !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;
}
