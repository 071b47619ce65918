/** A month of everything at once, from several seeds: no invariant of the service breaks, whatever happens in whichever order. */
import { describe, expect, it } from 'vitest';
import { POST_TRANSITIONS } from '../../entities/post.ts';
import { TEST_DATABASE_URL } from '../harness/database.ts';
import { simulate } from './simulate.ts';

/** What `npm run simulate` asks for; undefined in a run of the tests. */
const asked = process.env['SIMULATE_SEED'];
const days = Number(process.env['SIMULATE_DAYS'] ?? (TEST_DATABASE_URL === undefined ? 10 : 31));
const runs = Number(process.env['SIMULATE_RUNS'] ?? 1);

/** The embedded database takes three times as long, so it lives through ten days of one month. */
const SEEDS = TEST_DATABASE_URL === undefined ? [2] : [1, 2, 4];

/** Real time that a seed may take, also on a busy machine. */
const TIMEOUT_MS = 60_000 + days * 10_000;

describe('a month', () => {
  const seeds = asked === undefined ? SEEDS : Array.from({ length: runs }, (_run, number) => Number(asked) + number);

  const gone = new Set<string>();

  it.each(seeds)('of seed %i breaks no invariant', { timeout: TIMEOUT_MS }, async (seed) => {
    const outcome = await simulate(seed, days);
    if (asked !== undefined) console.log(seed, outcome);
    expect(outcome.acts).toBeGreaterThan(10 * days);
    for (const way of outcome.ways.keys()) gone.add(way.replace(/ \(.*/, ''));
  });

  // It takes several months to go every way.
  it.skipIf(asked !== undefined || seeds.length < 3)('goes every way of the table of transitions', () => {
    // A draft is checked when it is written and when it is edited: to fit no longer takes a change of the product.
    const table = POST_TRANSITIONS.filter(({ from, to }) => !(from === 'draft' && to === 'failed'));

    expect(table.map(({ from, to }) => `${from} -> ${to}`).filter((way) => !gone.has(way))).toEqual([]);
  });

  it.skipIf(asked !== undefined)('comes the same from the same seed', { timeout: TIMEOUT_MS }, async () => {
    const [first, second, other] = [await simulate(5, 4), await simulate(5, 4), await simulate(9, 4)];

    expect(second.digest).toBe(first.digest);
    expect(other.digest).not.toBe(first.digest);
  });
});
