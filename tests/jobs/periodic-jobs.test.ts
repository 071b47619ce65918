/** Periodic work runs once a period over all workers, and its lock is released in time. */
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { Loop } from '../../jobs/loop.ts';
import { startPeriodicJobs } from '../../jobs/periodic-jobs.ts';
import { systemClock } from '../../server/clocks.ts';
import type { Clock } from '../../services/clock.ts';
import { databaseUrl as urlOf, TEST_DATABASE_URL } from '../harness/database.ts';
import { startWorld } from '../harness/world.ts';

/** Faster than that of the product, whose jobs have longer periods than the one here. */
const JOB_INTERVALS = { lookEveryMs: 3_000, lockedForMs: 30_000, repairEveryMs: 1_000 };

/** Milliseconds that a timer may be early or late on a busy machine. */
const SLACK_MS = 1_000;

async function startPair(run: Loop['run'], extra: Partial<Loop> = {}) {
  const world = await startWorld({ logLevel: 'error' });
  const [database] = await world.sql<{ name: string }>('select current_database() as name');
  const databaseUrl = TEST_DATABASE_URL === undefined ? undefined : urlOf(database?.name ?? '');
  // Its period is 5 seconds, the shortest of all loops.
  const loop: Loop = { name: 'webhookDeliveries', run, ...extra };
  const start = async ({ aheadMs = 0 } = {}) => {
    const clock: Clock = { ...systemClock, now: () => new Date(Date.now() + aheadMs) };
    const config = { ...world.context.config, databaseUrl };
    const worker = await startPeriodicJobs({ ...world.context, clock, config }, [loop], JOB_INTERVALS);
    let stopped: Promise<void> | undefined;
    const stop = () => (stopped ??= worker.stop());
    onTestFinished(stop);
    return { stop };
  };
  return { world, start };
}

it('runs once a period when two workers share the jobs', async () => {
  const runs: number[] = [];
  const { world, start } = await startPair(async () => runs.push(performance.now()));

  await Promise.all([start(), start()]);
  await expect.poll(() => runs.length).toBeGreaterThanOrEqual(3);

  const gaps = runs.slice(1).map((at, index) => at - (runs[index] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(5_000 - SLACK_MS);
  expect(world.logged).toEqual([]);
  const jobs = await world.sql('select name, count(*)::int as rows from agenda_jobs group by 1');
  expect(jobs).toEqual([{ name: 'webhookDeliveries', rows: 1 }]);
});

it('stores the instants of the shared clock, also when the machine has another time', async () => {
  const { world, start } = await startPair(async () => 0);

  await start({ aheadMs: 3_600_000 });
  const lastRuns = () =>
    world.sql<{ ahead: number }>(
      `select extract(epoch from last_run_at)::float8 * 1000 - $1::float8 as ahead from agenda_jobs where last_run_at is not null`,
      [Date.now()],
    );
  await expect.poll(lastRuns).toHaveLength(1);

  const [job] = await lastRuns();
  expect(Math.abs((job?.ahead ?? 0) - 3_600_000)).toBeLessThan(10_000);
});

it('waits for a job in progress when it stops, and leaves nothing locked', async () => {
  let ended = false;
  const begun = Promise.withResolvers<void>();
  const { world, start } = await startPair(async () => {
    begun.resolve();
    await wait(1_500);
    ended = true;
    return 0;
  });
  const worker = await start();
  await begun.promise;

  await worker.stop();

  expect(ended).toBe(true);
  expect(await world.sql('select name from agenda_jobs where locked_at is not null')).toEqual([]);
});

it('leaves nothing locked when it stops shortly before a period', async () => {
  const ran = Promise.withResolvers<void>();
  const { world, start } = await startPair(async () => (ran.resolve(), 0));
  const worker = await start();
  await ran.promise;
  const isLocked = async () =>
    (await world.sql('select 1 from agenda_jobs where locked_at is not null and next_run_at > last_finished_at'))
      .length;
  // Two seconds before a period, whenever the worker looks.
  const postpone = () =>
    world.sql('update agenda_jobs set next_run_at = $1 where locked_at is null', [new Date(Date.now() + 2_000)]);
  await expect.poll(async () => (await postpone(), isLocked()), { interval: 50 }).toBe(1);

  await worker.stop();

  expect(await isLocked()).toBe(0);
});

it('runs at the start of each worker what asks for that', async () => {
  let runs = 0;
  const { start } = await startPair(async () => (runs += 1), { name: 'housekeeping', runsAtStart: true });

  const first = await start();
  await expect.poll(() => runs).toBe(1);
  await first.stop();
  await start();

  await expect.poll(() => runs).toBe(2);
});

it('runs within a period when the clock was set back', async () => {
  let runs = 0;
  const { world, start } = await startPair(async () => (runs += 1));
  await start();
  await expect.poll(() => runs).toBe(1);
  // What the clock of an hour later had planned.
  const later = new Date(Date.now() + 3_600_000);
  await expect
    .poll(() => world.sql('update agenda_jobs set next_run_at = $1 where locked_at is null returning 1', [later]))
    .toHaveLength(1);
  const before = runs;

  await expect.poll(() => runs).toBeGreaterThan(before + 1);
});

it('creates its table again when it is lost', async () => {
  let runs = 0;
  const { world, start } = await startPair(async () => (runs += 1));
  await start();
  await expect.poll(() => runs).toBe(1);

  await world.sql('drop table agenda_jobs');

  await expect.poll(() => runs).toBeGreaterThan(1);
});
