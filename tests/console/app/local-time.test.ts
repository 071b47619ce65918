/** Fields of the console for a date and a time on the clocks of a zone. */
import { describe, expect, it } from 'vitest';
import { instantOfField, localTimeAt, repeatsOf } from '../../../console/app/ui/local-time.ts';
import { zonedTime } from '../../../console/app/ui/day-words.ts';
import { newComposition } from '../../../console/app/views/compose/composition.ts';
import { whenFields } from '../../../console/app/views/compose/requests.ts';

const zone = 'Europe/Paris';
const FIRST = Date.parse('2025-10-26T00:30:00Z');
const SECOND = Date.parse('2025-10-26T01:30:00Z');

describe('a field with the time of a post', () => {
  it.each([FIRST, SECOND])('keeps which of two equal times it is: %d', (instant) => {
    const field = localTimeAt(instant, zone);
    expect(field).toEqual({ time: '2025-10-26T02:30', isSecond: instant === SECOND });
    expect(instantOfField(field, zone)).toBe(instant);
  });

  it('has the first of two equal times until the second is chosen', () => {
    const time = '2025-10-26T02:30';
    expect(repeatsOf({ time, isSecond: false }, zone)).toEqual([FIRST, SECOND]);
    expect(instantOfField({ time, isSecond: false }, zone)).toBe(FIRST);
  });

  it('does not ask about a time that clocks show once or skip, and has nothing to say while it is empty', () => {
    const times = ['2025-10-26T03:30', '2025-03-30T02:30', ''];
    expect(times.map((time) => repeatsOf({ time, isSecond: true }, zone))).toEqual([[], [], []]);
    expect(times.map((time) => instantOfField({ time, isSecond: true }, zone))).toEqual([
      Date.parse('2025-10-26T02:30:00Z'),
      Date.parse('2025-03-30T01:30:00Z'),
      null,
    ]);
  });
});

describe('what Compose asks the service for', () => {
  const fieldsOf = (instant: number) =>
    whenFields({ ...newComposition(), when: 'time', zone, ...localTimeAt(instant, zone) });

  it('is the wall time, which the service reads as the first of two', () => {
    expect(fieldsOf(FIRST)).toEqual({ scheduledFor: '2025-10-26T02:30', timezone: zone });
  });

  it('is the instant when the second of two is meant', () => {
    expect(fieldsOf(SECOND)).toEqual({ scheduledFor: '2025-10-26T01:30:00.000Z' });
  });

  it('is nothing while the time is empty', () => {
    expect(whenFields({ when: 'time', time: '', isSecond: false, zone })).toEqual({});
  });
});

describe('words for an instant in a zone', () => {
  it('name the offset when clocks show the time twice, and only then', () => {
    const words = [FIRST, SECOND, SECOND + 3_600_000].map((instant) => zonedTime(instant, zone));
    expect(words.map((text) => /UTC.*$/.exec(text)?.[0])).toEqual(['UTC+2', 'UTC+1', undefined]);
  });
});
