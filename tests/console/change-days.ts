/** Days on which clocks change, for tests of wall times. */
import { addDays } from '../../console/app/ui/zoned.ts';

/** Zones whose clocks change by an hour, half an hour or two hours, at night, at midnight, or in the middle of an hour. */
export const CHANGING_ZONES = [
  'Europe/Paris',
  'America/New_York',
  'America/St_Johns',
  'America/Nuuk',
  'America/Havana',
  'America/Santiago',
  'Africa/Cairo',
  'Africa/Casablanca',
  'Antarctica/Troll',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
];

/** The days of 2026 that do not have 24 hours. */
export function changeDays(zone: string): string[] {
  const days: string[] = [];
  for (let day = '2026-01-01'; day < '2027-01-01'; day = addDays(day, 1)) {
    if (Temporal.PlainDate.from(day).toZonedDateTime(zone).hoursInDay !== 24) days.push(day);
  }
  return days;
}
