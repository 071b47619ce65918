/** Property tests for wall times, over every time zone of the runtime (docs/contract/scheduling.md#wall-times). */
import { assert, constantFrom, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readScheduledFor } from '../../../services/scheduling/read-scheduled-for.ts';

const RUNS = { seed: 20261121, numRuns: 2_000 };
const MINUTE_MS = 60_000;
const zones = constantFrom(...Intl.supportedValuesOf('timeZone'));
/** Minutes from the end of 2026 on, over two years of clock changes. */
const minutes = integer({ min: 0, max: 2 * 365 * 24 * 60 });
const START = Date.UTC(2026, 11, 1);

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local time of a zone at an instant, computed only with Intl. */
function shown(instant: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium', hourCycle: 'h23' });
  formats.set(timeZone, format);
  return format.format(instant).replace(' ', 'T');
}

const read = (scheduledFor: string, timezone: string, now: number) =>
  readScheduledFor({ scheduledFor, timezone }, new Date(now))?.getTime();

describe('a wall time', () => {
  it('is read as the first instant at which the clocks of the zone show it', () => {
    assert(
      property(minutes, zones, (minute, zone) => {
        const instant = START + minute * MINUTE_MS;
        const wall = shown(instant, zone);

        const found = read(wall, zone, instant - 86_400_000);

        expect(shown(found ?? 0, zone)).toBe(wall);
        expect(found).toBeLessThanOrEqual(instant);
        // No zone changes its clocks by more than three hours in these years.
        for (let back = 30; back <= 180; back += 30) {
          expect(shown((found ?? 0) - back * MINUTE_MS, zone)).not.toBe(wall);
        }
      }),
      RUNS,
    );
  });

  it('with an offset is read as that instant, for any offset', () => {
    assert(
      property(minutes, integer({ min: -14 * 4, max: 14 * 4 }), (minute, quarters) => {
        const instant = START + minute * MINUTE_MS;
        const sign = quarters < 0 ? '-' : '+';
        const away = Math.abs(quarters) * 15;
        const pad = (number: number) => String(number).padStart(2, '0');
        const wall = new Date(instant + quarters * 15 * MINUTE_MS).toISOString().slice(0, 19);
        const scheduledFor = `${wall}${sign}${pad(Math.floor(away / 60))}:${pad(away % 60)}`;

        expect(readScheduledFor({ scheduledFor }, new Date(instant - 1))?.getTime()).toBe(instant);
      }),
      RUNS,
    );
  });
});
