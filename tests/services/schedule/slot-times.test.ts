/**
 * The times of queue slots: across clock changes in both directions, at the edges, and in every time zone of the
 * runtime.
 */
import * as fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { QueueSlot } from '../../../entities/connection.ts';
import { HORIZON_MS } from '../../../services/scheduling/horizon.ts';
import { slotTimes } from '../../../services/scheduling/slot-times.ts';

const HOUR_MS = 3_600_000;

/** Parses "Sun 02:30, Mon 09:00". */
function slotsOf(text: string): QueueSlot[] {
  const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  return text.split(', ').map((slot) => ({ weekday: names.indexOf(slot.slice(0, 3)), time: slot.slice(4) }));
}

/** The slot times as text. Whole minutes have no seconds. */
function times(slots: string, timezone: string, after: string, until: string): string[] {
  const instants = [...slotTimes(slotsOf(slots), timezone, new Date(after), new Date(until))];
  return instants.map((instant) => instant.toISOString().replace(':00.000Z', 'Z'));
}

/** The instants from one and a half days before noon UTC of the day to one and a half days after it. */
function timesAround(day: string, slots: string, timezone: string): string[] {
  const noon = Date.parse(`${day}T12:00Z`);
  return times(
    slots,
    timezone,
    new Date(noon - 36 * HOUR_MS).toISOString(),
    new Date(noon + 36 * HOUR_MS).toISOString(),
  );
}

describe('slots on ordinary days', () => {
  it.each([
    ['UTC', 'Mon 09:00, Fri 17:30', ['2026-11-23T09:00Z', '2026-11-27T17:30Z']],
    ['Europe/Paris', 'Mon 09:00, Fri 17:30', ['2026-11-23T08:00Z', '2026-11-27T16:30Z']],
    // The zone's day differs from the UTC day.
    [
      'Asia/Kathmandu',
      'Mon 00:00, Mon 05:44, Mon 05:45',
      ['2026-11-22T18:15Z', '2026-11-22T23:59Z', '2026-11-23T00:00Z'],
    ],
    ['Pacific/Chatham', 'Tue 00:00', ['2026-11-23T10:15Z']],
    ['Pacific/Kiritimati', 'Mon 00:00, Sun 23:59', ['2026-11-22T09:59Z', '2026-11-22T10:00Z']],
    ['Etc/GMT-14', 'Mon 00:00, Mon 14:00', ['2026-11-22T10:00Z', '2026-11-23T00:00Z']],
    ['Etc/GMT+12', 'Sun 12:00, Sun 23:59, Mon 00:00', ['2026-11-23T00:00Z', '2026-11-23T11:59Z', '2026-11-23T12:00Z']],
  ])('%s: %s', (timezone, slots, expected) => {
    expect(times(slots, timezone, '2026-11-22T00:00Z', '2026-11-28T00:00Z')).toEqual(expected);
  });

  it('are in time order without duplicates, in any order of input', () => {
    expect(
      times('Sat 08:00, Mon 10:00, Sun 12:00, Mon 09:00, Mon 10:00', 'UTC', '2026-11-22T00:00Z', '2026-11-29T00:00Z'),
    ).toEqual(['2026-11-22T12:00Z', '2026-11-23T09:00Z', '2026-11-23T10:00Z', '2026-11-28T08:00Z']);
  });

  it('occur every week at the same wall time up to the horizon', () => {
    const after = new Date('2026-10-10T12:00Z');
    const until = new Date(after.getTime() + HORIZON_MS);

    expect(times('Sun 09:00', 'Europe/Paris', after.toISOString(), until.toISOString())).toEqual([
      '2026-10-11T07:00Z',
      '2026-10-18T07:00Z',
      '2026-10-25T08:00Z',
      '2026-11-01T08:00Z',
      '2026-11-08T08:00Z',
    ]);
  });
});

// Uses past dates for zones whose rules change often, because a new time zone database does not change them.
describe('slots in a gap', () => {
  it.each([
    // 02:00 became 03:00. 02:30 comes after 03:15, and together with 03:30.
    [
      'Europe/Paris',
      '2026-03-29',
      'Sun 01:59, Sun 02:00, Sun 02:30, Sun 03:00, Sun 03:15, Sun 03:30, Sun 04:00',
      ['2026-03-29T00:59Z', '2026-03-29T01:00Z', '2026-03-29T01:15Z', '2026-03-29T01:30Z', '2026-03-29T02:00Z'],
    ],
    [
      'America/New_York',
      '2026-03-08',
      'Sun 01:30, Sun 02:30, Sun 03:10',
      ['2026-03-08T06:30Z', '2026-03-08T07:10Z', '2026-03-08T07:30Z'],
    ],
    // By half an hour: 02:00 became 02:30.
    [
      'Australia/Lord_Howe',
      '2025-10-05',
      'Sun 02:00, Sun 02:15, Sun 02:30, Sun 02:40, Sun 03:00',
      ['2025-10-04T15:30Z', '2025-10-04T15:40Z', '2025-10-04T15:45Z', '2025-10-04T16:00Z'],
    ],
    // By two hours: 01:00 became 03:00.
    [
      'Antarctica/Troll',
      '2025-03-30',
      'Sun 00:59, Sun 01:00, Sun 01:30, Sun 02:59, Sun 03:00, Sun 04:00, Sun 05:00',
      [
        '2025-03-30T00:59Z',
        '2025-03-30T01:00Z',
        '2025-03-30T01:30Z',
        '2025-03-30T02:00Z',
        '2025-03-30T02:59Z',
        '2025-03-30T03:00Z',
      ],
    ],
    // The day begins at 01:00.
    [
      'America/Santiago',
      '2024-09-08',
      'Sat 23:30, Sun 00:00, Sun 00:30, Sun 01:00, Sun 01:10',
      ['2024-09-08T03:30Z', '2024-09-08T04:00Z', '2024-09-08T04:10Z', '2024-09-08T04:30Z'],
    ],
    [
      'Asia/Beirut',
      '2024-03-31',
      'Sat 23:59, Sun 00:00, Sun 00:45, Sun 01:30',
      ['2024-03-30T21:59Z', '2024-03-30T22:00Z', '2024-03-30T22:30Z', '2024-03-30T22:45Z'],
    ],
    [
      'Africa/Cairo',
      '2024-04-26',
      'Thu 23:59, Fri 00:00, Fri 00:15, Fri 01:15',
      ['2024-04-25T21:59Z', '2024-04-25T22:00Z', '2024-04-25T22:15Z'],
    ],
    // The day ends at 23:00: its last slots fall among the first of the next day, or coincide with them.
    [
      'America/Nuuk',
      '2024-03-31',
      'Sat 22:59, Sat 23:00, Sat 23:15, Sat 23:30, Sun 00:10, Sun 00:30, Sun 00:59',
      [
        '2024-03-31T00:59Z',
        '2024-03-31T01:00Z',
        '2024-03-31T01:10Z',
        '2024-03-31T01:15Z',
        '2024-03-31T01:30Z',
        '2024-03-31T01:59Z',
      ],
    ],
    // 30 December, a Friday, was skipped: its slots fall on the Saturday, among that day's own.
    [
      'Pacific/Apia',
      '2011-12-30',
      'Thu 23:00, Fri 00:00, Fri 09:00, Fri 12:00, Fri 23:59, Sat 09:00, Sat 10:00, Sun 00:00',
      [
        '2011-12-30T09:00Z',
        '2011-12-30T10:00Z',
        '2011-12-30T19:00Z',
        '2011-12-30T20:00Z',
        '2011-12-30T22:00Z',
        '2011-12-31T09:59Z',
        '2011-12-31T10:00Z',
      ],
    ],
  ])('move forward by its length: %s %s', (timezone, day, slots, expected) => {
    expect(timesAround(day, slots, timezone)).toEqual(expected);
  });

  it('are still in the future when the clocks changed a moment ago', () => {
    expect(times('Sun 02:05, Sun 02:10, Sun 02:15', 'Europe/Paris', '2026-03-29T01:10Z', '2026-03-30T00:00Z')).toEqual([
      '2026-03-29T01:15Z',
    ]);
    expect(times('Fri 00:00, Fri 23:58, Fri 23:59', 'Pacific/Apia', '2011-12-31T09:58Z', '2012-01-01T00:00Z')).toEqual([
      '2011-12-31T09:59Z',
    ]);
  });

  it('are omitted when they move beyond the end', () => {
    expect(times('Sun 02:05, Sun 02:10, Sun 02:15', 'Europe/Paris', '2026-03-29T00:00Z', '2026-03-29T01:10Z')).toEqual([
      '2026-03-29T01:05Z',
      '2026-03-29T01:10Z',
    ]);
  });
});

describe('slots that occur twice on the clock', () => {
  it.each([
    [
      'Europe/Paris',
      '2026-10-25',
      'Sun 01:59, Sun 02:00, Sun 02:59, Sun 03:00',
      ['2026-10-24T23:59Z', '2026-10-25T00:00Z', '2026-10-25T00:59Z', '2026-10-25T02:00Z'],
    ],
    ['America/New_York', '2025-11-02', 'Sun 01:30, Sun 02:00', ['2025-11-02T05:30Z', '2025-11-02T07:00Z']],
    [
      'Australia/Lord_Howe',
      '2026-04-05',
      'Sun 01:29, Sun 01:30, Sun 01:45, Sun 02:00',
      ['2026-04-04T14:29Z', '2026-04-04T14:30Z', '2026-04-04T14:45Z', '2026-04-04T15:30Z'],
    ],
    [
      'Antarctica/Troll',
      '2025-10-26',
      'Sun 01:00, Sun 02:30, Sun 03:00',
      ['2025-10-25T23:00Z', '2025-10-26T00:30Z', '2025-10-26T03:00Z'],
    ],
    // Repeated on the day before: Sunday began at 01:00 UTC, ended at once, and began again at 02:00 UTC.
    [
      'America/Nuuk',
      '2024-10-27',
      'Sat 22:59, Sat 23:00, Sat 23:30, Sun 00:00, Sun 00:30',
      ['2024-10-26T23:59Z', '2024-10-27T00:00Z', '2024-10-27T00:30Z', '2024-10-27T02:00Z', '2024-10-27T02:30Z'],
    ],
    // By 23 hours, over the date line: Tuesday was repeated from 01:00.
    [
      'Pacific/Kwajalein',
      '1969-09-30',
      'Tue 00:30, Tue 01:00, Tue 12:00, Tue 23:59, Wed 00:00',
      ['1969-09-29T13:30Z', '1969-09-29T14:00Z', '1969-09-30T01:00Z', '1969-09-30T12:59Z', '1969-10-01T12:00Z'],
    ],
  ])('fall on the first occurrence: %s %s', (timezone, day, slots, expected) => {
    expect(timesAround(day, slots, timezone)).toEqual(expected);
  });

  it('do not fall on the second occurrence for a query in between', () => {
    expect(times('Sun 02:10, Sun 02:30', 'Europe/Paris', '2026-10-25T00:30Z', '2026-11-02T00:00Z')).toEqual([
      '2026-11-01T01:10Z',
      '2026-11-01T01:30Z',
    ]);
    expect(times('Sun 02:10, Sun 02:30', 'Europe/Paris', '2026-10-25T01:15Z', '2026-10-26T00:00Z')).toEqual([]);
  });
});

describe('a change for a month, as in Morocco in Ramadan', () => {
  it('moves a slot back, and forward again out of the gap', () => {
    expect(times('Sun 02:30', 'Africa/Casablanca', '2025-02-16T12:00Z', '2025-04-13T12:00Z')).toEqual([
      '2025-02-23T01:30Z',
      '2025-03-02T02:30Z',
      '2025-03-09T02:30Z',
      '2025-03-16T02:30Z',
      '2025-03-23T02:30Z',
      '2025-03-30T02:30Z',
      '2025-04-06T02:30Z',
      '2025-04-13T01:30Z',
    ]);
  });
});

describe('the edges', () => {
  it.each([
    ['a slot at `after` is past', '2026-11-23T09:00Z', '2026-11-30T08:59:59.999Z', []],
    [
      'a slot a millisecond later is not',
      '2026-11-23T08:59:59.999Z',
      '2026-11-30T08:59:59.999Z',
      ['2026-11-23T09:00Z'],
    ],
    ['a slot at `until` counts', '2026-11-23T09:00Z', '2026-11-30T09:00Z', ['2026-11-30T09:00Z']],
    ['nothing lies between an instant and itself', '2026-11-23T09:00Z', '2026-11-23T09:00Z', []],
    ['nothing lies between an instant and an earlier one', '2026-11-30T12:00Z', '2026-11-23T00:00Z', []],
  ])('%s', (_case, after, until, expected) => {
    expect(times('Mon 09:00', 'UTC', after, until)).toEqual(expected);
  });

  it('a queue without slots has no times', () => {
    expect([...slotTimes([], 'Europe/Paris', new Date(0), new Date('2026-11-23T09:00Z'))]).toEqual([]);
  });

  it('an unknown time zone is an error', () => {
    const from = new Date('2026-11-23T09:00Z');

    expect(() => slotTimes(slotsOf('Mon 09:00'), 'Europe/Atlantis', from, from).next()).toThrow(RangeError);
  });
});

describe('the number of zone lookups', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const everyHour = Array.from({ length: 168 }, (_, hour) => ({
    weekday: Math.floor(hour / 24),
    time: `${String(hour % 24).padStart(2, '0')}:00`,
  }));
  const after = new Date('2026-10-10T12:00Z');

  it('depends on the clock changes, not on the slots, because lookups are slow', () => {
    const lookups = vi.spyOn(Temporal.ZonedDateTime.prototype, 'getTimeZoneTransition');
    const instants = [...slotTimes(everyHour, 'Europe/Paris', after, new Date(after.getTime() + HORIZON_MS))];

    expect([instants.length, lookups.mock.calls.length]).toEqual([719, 2]);
  });

  it('for the first instant ends at the next clock change', () => {
    const lookups = vi.spyOn(Temporal.ZonedDateTime.prototype, 'getTimeZoneTransition');
    const first = slotTimes(everyHour, 'Europe/Paris', after, new Date('9999-12-31T00:00Z')).next();

    expect([first.value, lookups.mock.calls.length]).toEqual([new Date('2026-10-10T13:00Z'), 1]);
  });
});

// An oracle that is independent of the code under test: it steps through real minutes, reads each from Intl's clock and
// records which wall times occur. From here on, times are whole minutes since 1970, and offsets are minutes.
describe('every zone, through every clock change of two years', () => {
  const HOUR = 60;
  const DAY = 24 * HOUR;
  const WEEK = 7 * DAY;
  const START = Date.parse('2026-11-21T00:00Z') / 60_000;
  const END = Date.parse('2028-11-21T00:00Z') / 60_000;

  /** A wall clock: for an instant, the wall time, as the instant it would be in UTC. */
  type Clock = (instant: number) => number;

  /** Zones whose clocks have the same offset at every instant of the two years. */
  interface Group {
    readonly zones: string[];
    readonly changes: readonly number[];
  }

  /** The result of a walk: for a minute of the week, the instants at which a slot there falls. */
  interface Walk {
    /** Before `from` the walk has too little data to recognize repeated times. */
    readonly from: number;
    readonly to: number;
    /** The clock change in the middle, and its length. Null in an ordinary week. */
    readonly change: { readonly at: number; readonly wallBefore: number; readonly jump: number } | null;
    readonly falls: ReadonlyMap<number, readonly number[]>;
  }

  const walks: { zones: string[]; walk: Walk }[] = [];

  beforeAll(() => {
    for (const { zones, changes } of groupZones()) {
      const clock = clockOf(zones[0]!);
      for (const change of changes)
        walks.push({ zones, walk: walkOver(clock, change - 1.5 * DAY, change + 1.5 * DAY, change) });
      let first = START;
      while (changes.some((change) => change >= first - DAY && change <= first + WEEK)) first += DAY;
      walks.push({ zones, walk: walkOver(clock, first - DAY, first + WEEK, null) });
    }
  });

  function clockOf(timeZone: string): Clock {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    });
    return (instant) => {
      const [month, day, year, hour, minute] = format
        .format(instant * 60_000)
        .split(/\D+/)
        .map(Number) as [number, number, number, number, number];
      return Date.UTC(year, month - 1, day, hour, minute) / 60_000;
    };
  }

  /** Walking is slow and most zones equal another one, so each group is walked once. */
  function groupZones(): Group[] {
    const groups = new Map<string, Group>();
    for (const zone of Intl.supportedValuesOf('timeZone')) {
      const clock = clockOf(zone);
      const offset = (instant: number): number => clock(instant) - instant;
      const changes: number[] = [];
      const key = [offset(START)];
      // No zone changes its clocks twice in half a day.
      for (let later = START + DAY / 2; later <= END; later += DAY / 2) {
        const now = offset(later);
        if (now === key.at(-1)) continue;
        let [old, changed] = [later - DAY / 2, later];
        while (changed - old > 1) {
          const middle = Math.floor((old + changed) / 2);
          if (offset(middle) === now) changed = middle;
          else old = middle;
        }
        changes.push(changed);
        key.push(changed, now);
      }
      const group = groups.get(key.join());
      if (group === undefined) groups.set(key.join(), { zones: [zone], changes });
      else group.zones.push(zone);
    }
    return [...groups.values()];
  }

  function walkOver(clock: Clock, start: number, to: number, change: number | null): Walk {
    const falls = new Map<number, number[]>();
    const shown = new Set<number>();
    const fall = (wall: number, instant: number): void => {
      const minute = minuteOfWeek(wall);
      falls.set(minute, [...(falls.get(minute) ?? []), instant]);
    };
    let before = clock(start - 1);
    for (let instant = start; instant <= to; instant += 1) {
      const wall = clock(instant);
      // The clock skipped these minutes: the first slot falls now, the others later by the same differences.
      for (let skipped = before + 1; skipped < wall; skipped += 1) fall(skipped, instant + skipped - (before + 1));
      if (!shown.has(wall)) fall(wall, instant);
      shown.add(wall);
      before = wall;
    }
    const wallBefore = change === null ? 0 : clock(change - 1);
    return {
      from: start + DAY / 2,
      to,
      change: change === null ? null : { at: change, wallBefore, jump: clock(change) - wallBefore - 1 },
      falls,
    };
  }

  function minuteOfWeek(wall: number): number {
    return new Date(wall * 60_000).getUTCDay() * DAY + (wall % DAY);
  }

  function slotAt(minute: number): QueueSlot {
    const two = (part: number): string => String(part).padStart(2, '0');
    return {
      weekday: Math.floor(minute / DAY),
      time: `${two(Math.floor((minute % DAY) / HOUR))}:${two(minute % HOUR)}`,
    };
  }

  /** The oracle's answer in the format of the code under test. */
  function oracle({ falls }: Walk, minutes: readonly number[], after: number, until: number): number[] {
    const instants = new Set(minutes.flatMap((minute) => falls.get(minute) ?? []).map((instant) => instant * 60_000));
    return [...instants].filter((instant) => instant > after && instant <= until).toSorted((a, b) => a - b);
  }

  function answer(zone: string, minutes: readonly number[], after: number, until: number): number[] {
    return [...slotTimes(minutes.map(slotAt), zone, new Date(after), new Date(until))].map(Number);
  }

  /** A few slots and a time span, usually close to the clock change: in it, at its ends, or coinciding. */
  function questionsAbout({ from, to, change }: Walk) {
    const anyMinute = fc.integer({ min: 0, max: WEEK - 1 });
    const anyInstant = fc.integer({ min: from * 60_000, max: to * 60_000 });
    if (change === null) {
      return fc.record({
        minutes: fc.array(anyMinute, { minLength: 1, maxLength: 50 }),
        span: fc.tuple(anyInstant, anyInstant).map(ascending),
      });
    }
    const reach = Math.abs(change.jump) + 30;
    const closeMinute = fc.integer({ min: -reach, max: 2 * reach }).map((by) => minuteOfWeek(change.wallBefore + by));
    const closeInstant = fc
      .tuple(fc.integer({ min: -reach, max: reach }), fc.constantFrom(-1, 0, 1))
      .map(([minutes, ms]) => (change.at + minutes) * 60_000 + ms);
    const minute = fc.oneof({ weight: 4, arbitrary: closeMinute }, { weight: 1, arbitrary: anyMinute });
    return fc.record({
      minutes: fc.array(minute, { minLength: 1, maxLength: 20 }),
      span: fc
        .tuple(
          fc.oneof(anyInstant, closeInstant, fc.constant(from * 60_000)),
          fc.oneof(anyInstant, closeInstant, fc.constant(to * 60_000)),
        )
        .map(ascending),
    });
  }

  function ascending([a, b]: [number, number]): [number, number] {
    return [Math.min(a, b), Math.max(a, b)];
  }

  it('the walks cover all zones, and changes in both directions', () => {
    const jumps = walks.flatMap(({ walk }) => walk.change?.jump ?? []);

    expect(new Set(walks.flatMap(({ zones }) => zones))).toEqual(new Set(Intl.supportedValuesOf('timeZone')));
    expect([jumps.some((jump) => jump > 0), jumps.some((jump) => jump < 0), jumps.includes(0)]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('any slots in any span equal the result of the walk', () => {
    for (const [seed, { zones, walk }] of walks.entries()) {
      fc.assert(
        fc.property(questionsAbout(walk), ({ minutes, span: [after, until] }) => {
          const expected = oracle(walk, minutes, after, until);
          for (const zone of zones) {
            expect({ zone, instants: answer(zone, minutes, after, until) }).toEqual({ zone, instants: expected });
          }
        }),
        { seed, numRuns: 100 },
      );
    }
  }, 60_000);

  it('each minute around each clock change, as the only slot, equals the result of the walk', () => {
    for (const { zones, walk } of walks) {
      if (walk.change === null) continue;
      const { jump, wallBefore } = walk.change;
      const reach = Math.abs(jump) + 5;
      const minutes = Array.from({ length: 3 * reach }, (_, by) => minuteOfWeek(wallBefore - reach + by));
      const [after, until] = [walk.from * 60_000, walk.to * 60_000];

      expect(minutes.map((minute) => [zones[0], slotAt(minute), ...answer(zones[0]!, [minute], after, until)])).toEqual(
        minutes.map((minute) => [zones[0], slotAt(minute), ...oracle(walk, [minute], after, until)]),
      );
    }
  }, 60_000);
});
