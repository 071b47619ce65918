import { describe, expect, it } from 'vitest';
import { dueRead, nextReadAt, READ_AFTER_MS, readAfterPause, READS } from '../../../services/metrics/read-times.ts';

const SENT = new Date('2026-11-21T09:00:00.000Z');
const HOUR = 3_600_000;
const after = (hours: number, ms = 0) => new Date(SENT.getTime() + hours * HOUR + ms);

describe('the schedule', () => {
  it('has 78 reads: hourly from 1 h to 49 h, then a day apart', () => {
    expect(READ_AFTER_MS).toHaveLength(READS);
    expect(READ_AFTER_MS.slice(0, 49)).toEqual(Array.from({ length: 49 }, (_, index) => (index + 1) * HOUR));
    expect(READ_AFTER_MS.slice(49)).toEqual(Array.from({ length: 29 }, (_, index) => (49 + (index + 1) * 24) * HOUR));
  });

  it.each([
    ['before the first hour is over', 0, HOUR - 1, 0, 1],
    ['after an hour', 1, 0, 1, 2],
    ['just before the next', 2, -1, 1, 2],
    ['after 49 hours', 49, 0, 49, 73],
    ['a day later', 73, 0, 50, 97],
    ['when several were missed', 24, 0, 24, 25],
    ['at the last one', 745, 0, 78, null],
    ['long after the last one', 10_000, 0, 78, null],
  ])('%s is at read %4$d', (_when, hours, ms, number, next) => {
    expect(dueRead(SENT, after(hours, ms))).toBe(number);
    expect(nextReadAt(SENT, after(hours, ms))).toEqual(next === null ? null : after(next));
  });
});

it.each([
  ['at the end of the pause', 700, 0, after(700)],
  ['until a day after the last one was due', 745 + 24, 0, after(745 + 24)],
  ['not later', 745 + 24, 1, null],
])('a read is tried again %s', (_when, hours, ms, at) => {
  expect(readAfterPause(SENT, after(hours, ms))).toEqual(at);
});
