/**
 * GET /health/history: one sample a minute, every day of the window. A minute without a sample does not count as good.
 */
import { describe, expect, it } from 'vitest';
import { healthSamples } from '../../../jobs/health-samples.ts';
import { runRound } from '../../../jobs/run-round.ts';
import { TEST_DATABASE_URL } from '../../harness/database.ts';
import { startPeer } from '../../harness/peer.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld, type World } from '../../harness/world.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const world = await startWorld();

/** The history at this instant. Reads it a minute apart, so that the cache has expired. */
async function historyOf(from: World, days?: number) {
  const { status, body } = await from.rest(`GET /health/history${days === undefined ? '' : `?days=${days}`}`, {
    key: null,
  });
  return { status, body };
}

const sample = (from: World) => runRound(from.context, healthSamples, new AbortController().signal);

/** Writes samples as workers do. The times are minutes from the start of a day before START. */
async function writeSamples(from: World, daysAgo: number, minutes: readonly number[], degraded = false) {
  const midnight = Math.floor(START.getTime() / DAY) * DAY - daysAgo * DAY;
  await from.sql('insert into health_samples select unnest($1::timestamptz[]), $2', [
    minutes.map((minute) => new Date(midnight + minute * MINUTE)),
    degraded,
  ]);
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);

describe('200', () => {
  it('has every day of the window, oldest first, and no values for days before the first sample', async () => {
    await using fresh = await startWorld();

    const { status, body } = await historyOf(fresh);

    expect(status).toBe(200);
    expect(body.days).toHaveLength(90);
    expect(body.days[0]).toEqual({ day: '2026-08-24', uptimePercent: null, samples: 0, degradedMinutes: 0 });
    expect(body.days.at(-1)).toEqual({ day: '2026-11-21', uptimePercent: 100, samples: 0, degradedMinutes: 0 });
    expect(body.days.map(({ day }: { day: string }) => day)).toEqual(
      range(0, 90).map((index) => new Date(START.getTime() - (89 - index) * DAY).toISOString().slice(0, 10)),
    );
  });

  it('counts degraded minutes and minutes without a sample, but none before the first sample', async () => {
    await using other = await startWorld();
    await writeSamples(other, 3, range(600, 1440));
    // On this day four minutes were bad, and ten have no sample.
    await writeSamples(other, 2, range(0, 700));
    await writeSamples(other, 2, range(710, 714), true);
    await writeSamples(other, 2, range(714, 1440));
    // Today, up to noon.
    await writeSamples(other, 0, range(0, 719));

    const { body } = await historyOf(other, 5);

    expect(body).toEqual({
      days: [
        { day: '2026-11-17', uptimePercent: null, samples: 0, degradedMinutes: 0 },
        { day: '2026-11-18', uptimePercent: 100, samples: 840, degradedMinutes: 0 },
        { day: '2026-11-19', uptimePercent: 99.03, samples: 1430, degradedMinutes: 14 },
        { day: '2026-11-20', uptimePercent: 0, samples: 0, degradedMinutes: 1440 },
        { day: '2026-11-21', uptimePercent: 99.86, samples: 719, degradedMinutes: 1 },
      ],
    });
  });

  it('returns 1440 samples for a full day', async () => {
    await using other = await startWorld();
    await writeSamples(other, 1, range(0, 1440));

    const { body } = await historyOf(other, 2);

    expect(body.days[0]).toEqual({ day: '2026-11-20', uptimePercent: 100, samples: 1440, degradedMinutes: 0 });
  });

  it('returns the same for sixty seconds, and then a new answer', async () => {
    await world.advance(MINUTE);
    const first = await historyOf(world, 1);
    world.clock.advance(MINUTE - 1);
    const kept = await historyOf(world, 1);
    await world.advance(1);

    const refreshed = await historyOf(world, 1);

    expect(kept.body).toEqual(first.body);
    expect(refreshed.body.days[0].samples).toBeGreaterThan(first.body.days[0].samples);
  });
});

describe('a sample', () => {
  it('is taken once a minute, regardless of the number of workers and ticks', async () => {
    const first = await startWorld();
    const second = TEST_DATABASE_URL === undefined ? first.context : await startPeer(first);
    await first.runDue();
    first.clock.set(new Date('2026-11-21T13:00:00.000Z'));
    const looks = range(0, 6).flatMap(() => [first.context, second]);

    for (const context of looks) {
      await runRound(context, healthSamples, new AbortController().signal);
      first.clock.advance(20_000);
    }

    // Twelve ticks in four minutes.
    const rows = await first.sql<{ at: string }>(
      `select to_char(minute at time zone 'UTC', 'HH24:MI:SS') as at from health_samples order by 1`,
    );
    expect(rows.map(({ at }) => at)).toEqual(['12:00:00', '13:00:00', '13:01:00', '13:02:00', '13:03:00']);
  });

  it('is degraded while any worker is not well, regardless of which worker takes it', async () => {
    await using other = await startWorld();
    await other.runDue();
    other.clock.advance(3 * MINUTE);
    await sample(other);

    // Two minutes without a sample, and one in which the other workers were dead.
    expect((await historyOf(other, 1)).body.days[0]).toMatchObject({ samples: 2, degradedMinutes: 3 });
  });

  it('is not taken before every worker has finished its first tick', async () => {
    await using fresh = await startWorld();
    await sample(fresh);

    expect(await fresh.sql('select 1 from health_samples')).toEqual([]);
  });

  it('is kept for 90 days, and the very first one permanently', async () => {
    await using other = await startWorld();
    await writeSamples(other, 200, [0]);
    await writeSamples(other, 91, [0]);
    await writeSamples(other, 90, [719, 720]);
    await other.runDue();
    await other.housekeep();

    const { body } = await historyOf(other);

    expect(await other.sql('select 1 from health_samples')).toHaveLength(3);
    // Missing samples since the first one still count as bad after any length of time.
    expect(body.days[0]).toEqual({ day: '2026-08-24', uptimePercent: 0, samples: 0, degradedMinutes: 1440 });
  });
});

describe('on the manual clock', () => {
  it('writes a sample for every skipped minute, a month of them in one statement', async () => {
    await using manual = await startWorld({ clock: 'manual' });
    await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 0 } });

    const { status } = await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 30 * 86_400 } });

    expect(status).toBe(200);
    const { body } = await historyOf(manual, 31);
    expect(body.days[0]).toEqual({ day: '2026-11-21', uptimePercent: 100, samples: 720, degradedMinutes: 0 });
    expect(body.days[1]).toEqual({ day: '2026-11-22', uptimePercent: 100, samples: 1440, degradedMinutes: 0 });
    expect(body.days[30]).toEqual({ day: '2026-12-21', uptimePercent: 100, samples: 721, degradedMinutes: 0 });
  });

  it('keeps 90 days after a move over a longer time', async () => {
    await using manual = await startWorld({ clock: 'manual' });
    await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 400 * 86_400 } });

    const { body } = await historyOf(manual);

    expect(new Set(body.days.map((day: { uptimePercent: number }) => day.uptimePercent))).toEqual(new Set([100]));
    expect(await manual.sql('select 1 from health_samples')).toHaveLength(90 * 1440 + 1);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['0', 'days: expected at least 1.'],
    ['91', 'days: expected at most 90.'],
    ['1.5', 'days: expected an int.'],
    ['week', 'days: expected a number.'],
  ])('refuses days=%s, without the four headers', async (days, message) => {
    const { status, headers, body } = await world.rest(`GET /health/history?days=${days}`, { key: null });

    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'invalid_request', message });
    expect([...headers.keys()].filter((name) => /^x-r(equest-id|atelimit)/.test(name))).toEqual([]);
  });
});

describe('429 too many requests', () => {
  it('shares its limit with GET /health, and GET /stats has a separate one', async () => {
    await using strict = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '2' } });
    await strict.rest('GET /health', { key: null });
    await strict.rest('GET /health/history', { key: null });

    const calls = ['GET /health', 'GET /health/history', 'GET /stats', 'GET /stats', 'GET /stats'] as const;
    const statuses = [];
    for (const call of calls) statuses.push((await strict.rest(call, { key: null })).status);

    expect(statuses).toEqual([429, 429, 200, 200, 429]);
  });
});
