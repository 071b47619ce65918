/**
 * drain: a backlog that becomes due at one instant, for one worker, against graphile-worker and pg-boss with as many empty
 * jobs.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { connectSandboxes, publish } from '../api.ts';
import { type BenchDatabase, createDatabase, createFolder } from '../databases.ts';
import { startOnPostgres, startPeer } from '../processes.ts';
import { alternate, costsOf, type Measured } from '../rounds.ts';
import type { Row } from '../row.ts';

/** Size of the backlog, in posts and in empty jobs. */
const BACKLOG = 3_000;

/** Accounts that the posts go to. */
const SANDBOXES = 30;

/** Time to schedule the whole backlog through the API before it falls due. */
const SCHEDULING_MS = 8_000;

/** Longest a round may take before it fails as stuck. */
const STUCK_AFTER_MS = 60_000;

const POSTS_LEFT = `
  select exists (select from posts where status = 'scheduled') or exists (select from posts where status = 'processing') as "left"`;

const JOBS_LEFT = `select exists (select from graphile_worker._private_jobs) as "left"`;

const BOSS_JOBS_LEFT = `select exists (select from pgboss.job where state < 'completed') as "left"`;

export const drain: Row = {
  name: 'drain',
  run: async () => {
    await using database = await createDatabase();
    await using folder = await createFolder();
    await using peerDatabase = await createDatabase();
    await using web = await startOnPostgres(database.url, folder.path, 'web');
    const slugs = await connectSandboxes(web.origin, SANDBOXES);
    await using worker = await startOnPostgres(database.url, folder.path, 'worker');
    await using peer = await startPeer('empty-jobs.ts', { DATABASE_URL: peerDatabase.url });
    await using bossDatabase = await createDatabase();
    await using boss = await startPeer('pg-boss-jobs.ts', { DATABASE_URL: bossDatabase.url });
    const ours = () => drainPosts(database, web.origin, slugs);
    const jobs = () => drainJobs(peerDatabase);
    const bossJobs = () => drainBossJobs(bossDatabase, boss.origin);
    await ours();
    await jobs();
    await bossJobs();
    return [
      await alternate({
        row: 'drain',
        ours,
        baseline: jobs,
        unit: 'posts/s',
        target: 1,
        rounds: 5,
        costs: { ours: costsOf(worker, database.client), baseline: costsOf(peer, peerDatabase.client) },
      }),
      await alternate({ row: 'drain, to pg-boss', ours, baseline: bossJobs, unit: 'posts/s', rounds: 3 }),
    ];
  },
};

/** Counted from the instant the posts are due, independent of when the worker polls. */
async function drainPosts(database: BenchDatabase, origin: string, slugs: readonly string[]): Promise<Measured> {
  const due = new Date(Date.now() + SCHEDULING_MS);
  for (let stored = 0; stored < BACKLOG; stored += slugs.length) await publish(origin, slugs, due);
  if (Date.now() > due.getTime() - 500) throw new Error('scheduling took too long for this machine');
  await wait(due.getTime() - Date.now());
  const drained = await untilNoneLeft(database, POSTS_LEFT);
  const { rows } = await database.client.query(`select 1 from posts where scheduled_for = $1 and status = 'sent'`, [
    due,
  ]);
  if (rows.length !== BACKLOG) throw new Error(`${rows.length} of ${BACKLOG} posts were sent`);
  return drained;
}

/** Counted from the commit that adds the jobs, which also wakes the worker. */
async function drainJobs(database: BenchDatabase): Promise<Measured> {
  await database.client.query(
    `select count(graphile_worker.add_job('empty', '{}')) from generate_series(1, ${BACKLOG})`,
  );
  return untilNoneLeft(database, JOBS_LEFT);
}

async function drainBossJobs(database: BenchDatabase, origin: string): Promise<Measured> {
  await fetch(`${origin}/${BACKLOG}`, { method: 'POST' });
  return untilNoneLeft(database, BOSS_JOBS_LEFT);
}

async function untilNoneLeft(database: BenchDatabase, sql: string): Promise<Measured> {
  const started = performance.now();
  for (;;) {
    const { rows } = await database.client.query<{ left: boolean }>(sql);
    const tookMs = performance.now() - started;
    if (rows[0]?.left === false) return { rate: BACKLOG / (tookMs / 1000), count: BACKLOG };
    if (tookMs > STUCK_AFTER_MS) throw new Error(`the backlog was not gone after ${STUCK_AFTER_MS} ms`);
    await wait(10);
  }
}
