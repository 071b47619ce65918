/**
 * Periodic work of several workers on one PostgreSQL: each period runs once even if their clocks differ, and when the
 * worker that runs it dies, another one continues (docs/contract/running.md#roles).
 */
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { TAKEN_OVER_WITHIN_MS } from '../../jobs/periodic-jobs.ts';
import { ENGINE, freePort, type Install, newInstall, type ServerProcess } from './server-process.ts';
import { minutesAhead } from './skewed-clock.ts';
import { waitUntil } from './wait-until.ts';

/** How late a timer or a process may be on a busy machine. */
const SLACK_MS = 2_000;

async function startWorker(install: Install, env: Record<string, string> = {}): Promise<ServerProcess> {
  return install.start({ ROLE: 'worker', PORT: String(await freePort()), ...env });
}

/** Writes down every round that the workers record from now on. */
async function recordRounds(install: Install): Promise<void> {
  await install.sql('create table rounds (name text, at timestamptz default clock_timestamp())');
  await install.sql(`create function record_round() returns trigger language plpgsql as
    'begin insert into rounds (name) values (new.name); return null; end'`);
  await install.sql(`create trigger rounds after update of last_run_at on worker_states
    for each row execute function record_round()`);
}

/** Milliseconds between the rounds of a job. */
async function gapsOf(install: Install, name: string): Promise<number[]> {
  const rows = await install.sql<{ gap: number }>(
    `select gap from (select at, extract(epoch from at - lag(at) over (order by at))::float8 * 1000 as gap
       from rounds where name = $1) as gaps where gap is not null order by at`,
    [name],
  );
  return rows.map(({ gap }) => gap);
}

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('one of two workers runs each period, also when their clocks differ by twenty minutes', async () => {
    const install = await newInstall();
    for (const minutes of [10, -10]) await startWorker(install, { NODE_OPTIONS: minutesAhead(minutes) });
    await recordRounds(install);
    const startedAt = performance.now();

    // The period of healthSamples is 20 seconds. Each worker runs scheduledPosts every 10 seconds, at its own times.
    await waitUntil('four periods are over', () => performance.now() - startedAt > 82_000, 100_000);

    const gaps = await gapsOf(install, 'healthSamples');
    expect(gaps.length).toBeGreaterThanOrEqual(2);
    expect(Math.min(...gaps)).toBeGreaterThan(20_000 - SLACK_MS);
    expect(Math.max(...gaps)).toBeLessThan(22_000 + SLACK_MS);
    expect(Math.min(...(await gapsOf(install, 'scheduledPosts')))).toBeLessThan(10_000 - SLACK_MS);
  });

  it('another worker takes over within the lock lifetime when the one that runs a job is killed', async () => {
    const install = await newInstall();
    const workers = [await startWorker(install), await startWorker(install)];
    const blocker = new Client({ connectionString: install.databaseUrl });
    await blocker.connect();
    onTestFinished(() => blocker.end());
    blocker.on('error', () => undefined);
    await blocker.query('begin; lock table health_samples in access exclusive mode');
    const holder = async () => {
      const [job] = await install.sql<{ worker: string }>(
        `select last_modified_by as worker from agenda_jobs
         where name = 'healthSamples' and locked_at is not null and last_run_at > coalesce(last_finished_at, '-infinity')`,
      );
      return workers.find(({ child }) => job?.worker.startsWith(`worker-${child.pid}-`));
    };
    const busy = await waitUntil('a worker runs the job', holder, 40_000);

    await busy.kill9();

    const killedAt = performance.now();
    const other = workers.find((worker) => worker !== busy);
    await waitUntil('the other runs it', async () => (await holder()) === other, TAKEN_OVER_WITHIN_MS + 10_000);
    expect(performance.now() - killedAt).toBeLessThan(TAKEN_OVER_WITHIN_MS + SLACK_MS);
    await blocker.query('commit');
    await recordRounds(install);
    await waitUntil('its rounds continue', async () => (await gapsOf(install, 'healthSamples')).length > 0, 60_000);
  });

  it('workers that start one after the other leave a period as it is', async () => {
    const install = await newInstall();
    const first = await startWorker(install);
    await recordRounds(install);
    await waitUntil(
      'a period began',
      async () => (await install.sql(`select 1 from rounds where name = 'healthSamples'`)).length > 0,
      40_000,
    );
    await startWorker(install);
    await first.stop();

    await waitUntil(
      'two more periods are over',
      async () => (await gapsOf(install, 'healthSamples')).length >= 2,
      90_000,
    );

    expect(Math.min(...(await gapsOf(install, 'healthSamples')))).toBeGreaterThan(20_000 - SLACK_MS);
  });
});
