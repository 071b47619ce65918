/** The worker of an embedded install, which starts while requests are answered. */
import { expect, it, onTestFinished } from 'vitest';
import { startWorkerSoon } from '../../jobs/start-worker-soon.ts';
import { systemClock } from '../../server/clocks.ts';
import { startWorld } from '../harness/world.ts';

it('starts again until the database lets it, and logs each failure', async () => {
  const world = await startWorld({ logLevel: 'error' });
  // Agenda finds a view in place of its table, which no index can be added to.
  await world.sql('drop table if exists agenda_jobs');
  await world.sql('create view agenda_jobs as select 1 as name');
  const waits: number[] = [];
  const sleep = async (ms: number, signal?: AbortSignal) => {
    if (waits.length === 3) return systemClock.sleep(ms, signal);
    waits.push(ms);
    if (waits.length === 3) await world.sql('drop view agenda_jobs');
  };

  const worker = startWorkerSoon({ ...world.context, clock: { ...systemClock, sleep } });
  onTestFinished(() => worker.stop());

  const jobs = () => world.sql<{ name: string }>('select name from agenda_jobs').catch(() => []);
  await expect.poll(async () => (await jobs()).map(({ name }) => name)).toContain('retention');
  expect(waits).toEqual([250, 10_000, 10_000]);
  const messages = world.logged.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const failure = 'the worker could not start; it starts again in 10 seconds';
  expect(messages).toEqual([failure, failure]);
});

it('starts nothing when it is stopped before', async () => {
  const world = await startWorld({ logLevel: 'error' });
  await world.sql('drop table if exists agenda_jobs');

  await startWorkerSoon({ ...world.context, clock: systemClock }).stop();

  expect(await world.sql(`select to_regclass('agenda_jobs') as jobs`)).toEqual([{ jobs: null }]);
  expect(world.logged).toEqual([]);
});
