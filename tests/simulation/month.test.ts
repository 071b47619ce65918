/**
 * A month of random concurrent activity, from several seeds: no invariant of the service breaks, in any order of
 * events.
 */
import { appendFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { POST_TRANSITIONS } from '../../entities/post.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { simulate } from './simulate.ts';

/** The parameters of `npm run simulate`; undefined in a test run. */
const asked = process.env['SIMULATE_SEED'];
const days = Number(process.env['SIMULATE_DAYS'] ?? 31);
const runs = Number(process.env['SIMULATE_RUNS'] ?? 1);
const results = process.env['SIMULATE_RESULTS'];

interface Run {
  readonly seed: number;
  readonly days: number;
}

/** The embedded database takes three times as long, so there the test covers the beginning of one of these months. */
const RUNS: readonly Run[] =
  TEST_DATABASE_URL === undefined
    ? [{ seed: 2, days: 10 }]
    : [
        { seed: 1, days: 18 },
        { seed: 2, days: 31 },
        { seed: 4, days: 18 },
      ];

/** Real time limit for one simulation, also on a busy machine. One that was asked for may run behind other work. */
const timeoutMs = (lived: number) => (120_000 + lived * 20_000) * (asked === undefined ? 1 : 4);

describe('a month', () => {
  const lives =
    asked === undefined
      ? RUNS
      : Array.from({ length: runs }, (_run, number): Run => ({ seed: Number(asked) + number, days }));

  const gone = new Set<string>();
  const used = new Set<string>();

  it.each(lives)('of seed $seed breaks no invariant in $days days', { timeout: timeoutMs(days) }, async (life) => {
    const outcome = await simulate(life.seed, life.days);
    if (asked !== undefined) console.log(life.seed, outcome);
    expect(outcome.acts).toBeGreaterThan(10 * life.days);
    if (results !== undefined) {
      const { acts, moves, faults, lost } = outcome;
      const elsewhere = [...outcome.elsewhere.values()].reduce((sum, count) => sum + count, 0);
      await appendFile(results, `${JSON.stringify({ ...life, acts, moves, elsewhere, faults, lost })}\n`);
    }
    for (const platformId of outcome.elsewhere.keys()) used.add(platformId);
    for (const way of outcome.ways.keys()) gone.add(way.replace(/ \(.*/, ''));
  });

  // It takes several months to cover every transition.
  it.skipIf(asked !== undefined || lives.length < 3)('covers every transition of the table', () => {
    // A draft is validated when it is created and when it is edited, so only a change of the product could make it fit.
    const table = POST_TRANSITIONS.filter(({ from, to }) => !(from === 'draft' && to === 'failed'));

    expect(table.map(({ from, to }) => `${from} -> ${to}`).filter((way) => !gone.has(way))).toEqual([]);
  });

  it.skipIf(asked !== undefined || lives.length < 3)('sends to almost every imitated platform', () => {
    expect(used.size).toBeGreaterThan(9);
  });

  it.skipIf(asked !== undefined)('is identical for the same seed', { timeout: timeoutMs(12) }, async () => {
    const [first, second, other] = [await simulate(5, 4), await simulate(5, 4), await simulate(9, 4)];

    expect(second.digest).toBe(first.digest);
    expect(other.digest).not.toBe(first.digest);
  });
});
