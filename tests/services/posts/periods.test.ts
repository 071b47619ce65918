/** The periods that a search reads one after the other. */
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { earliestId } from '../../../services/ids.ts';
import { periodsBefore } from '../../../services/posts/periods.ts';

const idAt = (ms: number) => earliestId(new Date(ms));
const moment = fc.integer({ min: 0, max: Date.parse('2100-01-01') });

it('contain each id between the first one and the present one exactly once', () => {
  fc.assert(
    fc.property(fc.uniqueArray(moment, { minLength: 3, maxLength: 3 }), (moments) => {
      const [first, between, before] = moments.toSorted((a, b) => a - b).map(idAt) as [string, string, string];

      const periods = periodsBefore(before, first);

      for (const id of [first, between, before]) {
        expect(periods.filter((period) => id.startsWith(period))).toHaveLength(1);
      }
    }),
    { numRuns: 200 },
  );
});

it('are ordered from the newest to the oldest', () => {
  const [before, first] = [idAt(Date.parse('2026-11-21T12:00:00Z')), idAt(Date.parse('2024-03-01T00:00:00Z'))];

  const starts = periodsBefore(before, first).map((period) => period.padEnd(8, '0'));

  expect(starts).toEqual(starts.toSorted().toReversed());
  expect(new Set(starts).size).toBe(starts.length);
});
