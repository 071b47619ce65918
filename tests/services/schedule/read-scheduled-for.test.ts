/** Valid times: with an offset or in a time zone, across clock changes, in the future and within 30 days. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../errors/service-error.ts';
import { readScheduledFor, type ScheduleInput } from '../../../services/scheduling/read-scheduled-for.ts';

const NOW = new Date('2026-11-21T12:00:00.000Z');

function read(input: ScheduleInput, now = NOW): string | undefined {
  return readScheduledFor(input, now)?.toISOString();
}

/** The refusal of a time. */
function refusalOf(input: ScheduleInput, now = NOW): { code: string; message: string } {
  try {
    readScheduledFor(input, now);
  } catch (error) {
    if (error instanceof ServiceError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('the time was taken');
}

describe('no time', () => {
  it('is null', () => {
    expect(readScheduledFor({}, NOW)).toBeNull();
  });
});

describe('a time with an offset', () => {
  it.each([
    ['2026-12-01T09:00:00.000Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01t09:00:30z', '2026-12-01T09:00:30.000Z'],
    ['2026-12-01T09:00:00+01:00', '2026-12-01T08:00:00.000Z'],
    ['2026-12-01T09:00:00-0500', '2026-12-01T14:00:00.000Z'],
    ['2026-12-01T09:00:00+05:45', '2026-12-01T03:15:00.000Z'],
    ['2026-12-01T00:30:00+14:00', '2026-11-30T10:30:00.000Z'],
    ['2026-12-01T09:00:00.5Z', '2026-12-01T09:00:00.500Z'],
    ['2026-12-01T09:00:00.123999999Z', '2026-12-01T09:00:00.123Z'],
  ])('%s is %s', (scheduledFor, expected) => {
    expect(read({ scheduledFor })).toBe(expected);
  });
});

describe('a wall time in a zone', () => {
  it.each([
    ['Europe/Paris', '2026-12-01T09:00', '2026-12-01T08:00:00.000Z'],
    ['America/New_York', '2026-12-01T09:00:00', '2026-12-01T14:00:00.000Z'],
    ['Asia/Kathmandu', '2026-12-01T09:00:00.250', '2026-12-01T03:15:00.250Z'],
    ['UTC', '2026-12-01T09:00:00', '2026-12-01T09:00:00.000Z'],
    ['Etc/GMT+5', '2026-12-01T09:00:00', '2026-12-01T14:00:00.000Z'],
  ])('%s %s is %s', (timezone, scheduledFor, expected) => {
    expect(read({ scheduledFor, timezone })).toBe(expected);
  });

  it.each([
    // In spring, 02:00 to 03:00 does not exist: times move forward by the length of the gap.
    ['Europe/Paris', '2027-03-28T01:59:59', '2027-03-28T00:59:59.000Z'],
    ['Europe/Paris', '2027-03-28T02:00:00', '2027-03-28T01:00:00.000Z'],
    ['Europe/Paris', '2027-03-28T02:30:00', '2027-03-28T01:30:00.000Z'],
    ['Europe/Paris', '2027-03-28T03:00:00', '2027-03-28T01:00:00.000Z'],
    ['America/New_York', '2027-03-14T02:30:00', '2027-03-14T07:30:00.000Z'],
    // Lord Howe Island moves its clocks by half an hour.
    ['Australia/Lord_Howe', '2027-10-03T02:15:00', '2027-10-02T15:45:00.000Z'],
  ])('%s %s, around a spring gap, is %s', (timezone, scheduledFor, expected) => {
    const now = new Date(new Date(expected).getTime() - 86_400_000);

    expect(read({ scheduledFor, timezone }, now)).toBe(expected);
  });

  it.each([
    // In autumn one hour occurs twice: the first one counts.
    ['Europe/Paris', '2026-10-25T02:30:00', '2026-10-25T00:30:00.000Z'],
    ['Europe/Paris', '2026-10-25T03:00:00', '2026-10-25T02:00:00.000Z'],
    ['America/New_York', '2026-11-01T01:30:00', '2026-11-01T05:30:00.000Z'],
    ['America/New_York', '2026-11-01T02:00:00', '2026-11-01T07:00:00.000Z'],
  ])('%s %s, around an autumn fold, is %s', (timezone, scheduledFor, expected) => {
    const now = new Date(new Date(expected).getTime() - 86_400_000);

    expect(read({ scheduledFor, timezone }, now)).toBe(expected);
  });
});

describe('the horizon', () => {
  it.each([
    ['a millisecond ahead', '2026-11-21T12:00:00.001Z'],
    ['30 days ahead to the millisecond', '2026-12-21T12:00:00.000Z'],
  ])('accepts %s', (_case, scheduledFor) => {
    expect(read({ scheduledFor })).toBe(scheduledFor);
  });

  it.each([
    ['now', '2026-11-21T12:00:00.000Z'],
    ['now, a fraction of a millisecond later', '2026-11-21T12:00:00.000999Z'],
    ['a millisecond ago', '2026-11-21T11:59:59.999Z'],
    ['long ago', '1970-01-01T00:00:00Z'],
  ])('refuses %s', (_case, scheduledFor) => {
    const instant = new Date(scheduledFor.replace('000999', '000')).toISOString();

    expect(refusalOf({ scheduledFor })).toEqual({
      code: 'invalid_request',
      message: `scheduledFor: ${instant} is not in the future. It is 2026-11-21T12:00:00.000Z now.`,
    });
  });

  it('refuses 30 days and a millisecond', () => {
    expect(refusalOf({ scheduledFor: '2026-12-21T12:00:00.001Z' })).toEqual({
      code: 'invalid_request',
      message: 'scheduledFor: 2026-12-21T12:00:00.001Z is more than 30 days ahead. It is 2026-11-21T12:00:00.000Z now.',
    });
  });

  it('counts 30 days of 24 hours, also across a clock change', () => {
    const now = new Date('2027-03-01T12:00:00.000Z');

    expect(read({ scheduledFor: '2027-03-31T14:00:00', timezone: 'Europe/Paris' }, now)).toBe(
      '2027-03-31T12:00:00.000Z',
    );
    expect(refusalOf({ scheduledFor: '2027-03-31T14:00:01', timezone: 'Europe/Paris' }, now).message).toMatch(
      /is more than 30 days ahead/,
    );
  });
});

describe('a refusal', () => {
  it.each([
    'tomorrow',
    '2026-12-01',
    '2026-12-01 09:00:00Z',
    '2026-12-01T09Z',
    '2026-12-01T9:00Z',
    '2026-12-01T09:00:00+01',
    '2026-12-01T09:00:00 Z',
    '2026-12-01T09:00:00Z[Europe/Paris]',
    '+002026-12-01T09:00:00Z',
    '1796115600',
    '',
  ])('says that %j is not a date-time', (scheduledFor) => {
    expect(refusalOf({ scheduledFor })).toEqual({
      code: 'invalid_request',
      message: `scheduledFor: "${scheduledFor}" is not a date-time such as 2027-01-31T09:00:00.000Z.`,
    });
  });

  it.each([
    ['2026-12-32T09:00:00Z', undefined],
    ['2027-02-30T09:00:00Z', undefined],
    ['2027-02-29T09:00:00', 'Europe/Paris'],
    ['2026-13-01T09:00:00Z', undefined],
    ['2026-12-01T24:00:00Z', undefined],
    ['2026-12-01T24:00:00', 'Europe/Paris'],
    ['2026-12-01T09:60:00Z', undefined],
    ['2026-12-01T09:00:00+25:00', undefined],
  ])('says that %s does not exist', (scheduledFor, timezone) => {
    expect(refusalOf({ scheduledFor, timezone })).toEqual({
      code: 'invalid_request',
      message: `scheduledFor: "${scheduledFor}" names a day or a time that does not exist.`,
    });
  });

  it.each([
    'Europe/Atlantis',
    '+02:00',
    'CEST',
    'PST',
    'IST',
    'SystemV/AST4',
    '',
    'Europe/Paris ',
    'Europe\u0000/Paris',
  ])('says that %j is not a zone', (timezone) => {
    expect(refusalOf({ scheduledFor: '2026-12-01T09:00', timezone })).toEqual({
      code: 'invalid_request',
      message: `timezone: "${timezone}" is not an IANA time zone such as Europe/Paris.`,
    });
  });

  it('requires either an offset or a time zone, but not both', () => {
    expect([
      refusalOf({ scheduledFor: '2026-12-01T09:00:00' }).message,
      refusalOf({ scheduledFor: '2026-12-01T09:00:00Z', timezone: 'UTC' }).message,
      refusalOf({ timezone: 'UTC' }).message,
    ]).toEqual([
      'scheduledFor: "2026-12-01T09:00:00" has no UTC offset; add one (Z for UTC) or name a timezone.',
      'timezone: scheduledFor already has a UTC offset; leave one of the two out.',
      'timezone: is read only together with a scheduledFor that has no UTC offset; leave it out or add scheduledFor.',
    ]);
  });
});
