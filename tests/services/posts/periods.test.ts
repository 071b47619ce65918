/** The periods that a search reads one after the other. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { earliestId } from '../../../services/ids.ts';
import { type Periods, periodsBefore } from '../../../services/posts/periods.ts';

const idAt = (ms: number) => earliestId(new Date(ms));
const moment = fc.integer({ min: 0, max: Date.parse('2100-01-01') });
const starts = (periods: readonly Periods[]) => periods.flat().map((period) => period.padEnd(8, '0'));

it.each(['nowhere', 'somewhere'])(
  'contain each id between the first one and the present one exactly once, with words frequent %s',
  (where) => {
    fc.assert(
      fc.property(fc.uniqueArray(moment, { minLength: 5, maxLength: 5 }), (moments) => {
        const ids = moments.toSorted((a, b) => a - b).map(idAt) as [string, string, string, string, string];
        const [first, , dense, , before] = ids;

        const periods = periodsBefore(before, first, where === 'nowhere' ? null : dense).flat();

        for (const id of ids) {
          expect(periods.filter((period) => id.startsWith(period))).toHaveLength(1);
        }
      }),
      { numRuns: 200 },
    );
  },
);

it('are ordered from the newest to the oldest', () => {
  const [before, first] = [idAt(Date.parse('2026-11-21T12:00:00Z')), idAt(Date.parse('2024-03-01T00:00:00Z'))];

  for (const dense of [
    null,
    idAt(Date.parse('2026-11-21T11:59:00Z')),
    idAt(Date.parse('2025-07-01T00:00:00Z')),
    first,
  ]) {
    const found = starts(periodsBefore(before, first, dense));

    expect(found).toEqual(found.toSorted().toReversed());
    expect(new Set(found).size).toBe(found.length);
  }
});

it('are of 17 minutes, four at once, where the words are frequent', () => {
  const [before, first] = [idAt(Date.parse('2026-11-21T12:00:00Z')), idAt(Date.parse('2024-03-01T00:00:00Z'))];
  const dense = idAt(Date.parse('2025-07-01T00:00:00Z'));

  const periods = periodsBefore(before, first, dense);

  const at = periods.findIndex((some) => some.some((period) => dense.startsWith(period)));
  expect(periods[at]).toContain(dense.slice(0, 7));
  expect(periods[at]).toHaveLength(4);
});

it('are whole weeks and days, in groups, between those near and those where the words are frequent', () => {
  const [before, first] = [idAt(Date.parse('2026-11-21T12:00:00Z')), idAt(Date.parse('2014-03-01T00:00:00Z'))];
  const dense = idAt(Date.parse('2016-07-01T00:00:00Z'));

  const periods = periodsBefore(before, first, dense);

  const newer = periods.slice(
    0,
    periods.findIndex((some) => some.some((period) => dense.startsWith(period))),
  );
  // 3796 days are 76 of the longest periods. Those of three days in between would be 1220.
  expect(newer.flat().filter((period) => period.length === 4).length).toBeGreaterThan(73);
  expect(newer.flat().length).toBeLessThan(76 + 4 * 32);
  expect(newer.length).toBeLessThan(14);
});
