/**
 * Several processes on one PostgreSQL: how they share the work, and what happens when one dies or stalls
 * (docs/contract/posts.md#interrupted-sends, docs/contract/running.md#roles).
 */
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allSettled } from './all-settled.ts';
import {
  attemptsOf,
  eachOnce,
  letLeasesRunOut,
  oneAccepted,
  post,
  postOf,
  SANDBOX,
  schedule,
  sendsOf,
  settled,
  tally,
} from './posts.ts';
import { ENGINE, freePort, type Install, newInstall, type ServerProcess } from './server-process.ts';
import { waitUntil } from './wait-until.ts';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000);

async function startWorker(install: Install): Promise<ServerProcess> {
  return install.start({ ROLE: 'worker', PORT: String(await freePort()) });
}

function texts(count: number, slowMs: number): string[] {
  return Array.from({ length: count }, (_, index) => `post ${index} [[slow ${slowMs}]]`);
}

/** A separate connection, for work that spans several statements. */
async function openClient(install: Install): Promise<Client> {
  const client = new Client({ connectionString: install.databaseUrl });
  await client.connect();
  // The database is dropped during use when a test fails midway.
  client.on('error', () => undefined);
  onTestFinished(() => client.end());
  return client;
}

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('a web process sends immediate posts at once, and leaves scheduled ones to a worker', async () => {
    const install = await newInstall();
    const web = await install.start({ ROLE: 'web' });
    const at = inSeconds(1.5);
    const [postId = ''] = await schedule(web, ['scheduled'], at);
    expect(await post(web, SANDBOX, 'now')).toMatchObject({ status: 'sent' });
    await waitUntil('it is overdue', () => Date.now() > at.getTime() + 1_000);
    expect(await postOf(web, postId)).toMatchObject({ status: 'scheduled' });

    await startWorker(install);

    const sent = await settled(web, postId);
    expect(sent).toMatchObject({ status: 'sent' });
    expect(await attemptsOf(web, postId)).toEqual(oneAccepted(sent.platformPostId));
    expect(await tally(install)).toEqual(eachOnce(2));
  });

  it('a worker answers only the probes of orchestrators', async () => {
    const install = await newInstall();
    const worker = await startWorker(install);

    const [livez, readyz, metrics] = await Promise.all([
      worker.get('/livez'),
      worker.get('/readyz'),
      worker.get('/metrics'),
    ]);
    expect([livez, readyz].map(({ status, body }) => [status, body])).toEqual([
      [200, 'ok\n'],
      [200, 'ok\n'],
    ]);
    expect(metrics.status).toBe(200);
    expect(metrics.body).toContain('carillon_sends_in_flight 0\n');
    for (const path of [
      '/',
      '/api/v2/connections',
      '/api/v2/openapi.json',
      '/trpc/public.health',
      '/mcp',
      '/docs',
      '/sandbox/x',
    ] as const) {
      expect(await worker.get(path)).toMatchObject({
        status: 404,
        body: { error: 'not_found', message: expect.stringContaining(`There is nothing at ${path}.`) },
      });
    }
  });

  it('another worker takes over the sends of a killed one, once its lease has expired', async () => {
    const install = await newInstall();
    const web = await install.start({ ROLE: 'web' });
    const workers = await Promise.all([startWorker(install), startWorker(install)]);
    await schedule(web, texts(30, 3_000), inSeconds(4));
    const busy = await waitUntil('the posts are being sent', async () => {
      const sends = await Promise.all(workers.map(sendsOf));
      return sends.reduce((sum, count) => sum + count) === 30 && workers[sends.indexOf(Math.max(...sends))];
    });

    await busy.kill9();

    // Posts due meanwhile are sent. Posts of the dead process wait until its lease expires.
    const [next = ''] = await schedule(web, ['next'], inSeconds(2));
    expect(await settled(web, next)).toMatchObject({ status: 'sent' });
    const held = await install.sql<{ count: number }>(
      `select count(*)::int as count from posts where status = 'processing'`,
    );
    expect(held[0]?.count).toBeGreaterThan(0);
    await letLeasesRunOut(install);
    await allSettled(web);
    expect(await tally(install)).toEqual(eachOnce(31));
  });

  it('settles a post once when a worker stalls past its lease and resumes beside the one that took over', async () => {
    const install = await newInstall();
    const web = await install.start({ ROLE: 'web' });
    const sleeper = await startWorker(install);
    const [postId = ''] = await schedule(web, ['[[slow 1500]]'], inSeconds(2));
    await waitUntil('it is being sent', async () => (await sendsOf(sleeper)) === 1);
    sleeper.child.kill('SIGSTOP');
    await letLeasesRunOut(install);
    await startWorker(install);
    expect(await settled(web, postId)).toMatchObject({ status: 'sent' });
    const before = await postOf(web, postId);

    sleeper.child.kill('SIGCONT');

    await waitUntil('the sleeper finds that it came too late', () =>
      sleeper.log().some(({ msg, postId: id }) => msg === 'another process settled a send first' && id === postId),
    );
    expect(await postOf(web, postId)).toEqual(before);
    expect(await attemptsOf(web, postId)).toEqual(oneAccepted(before.platformPostId));
    // Called twice with one token, so the timeline has one post.
    expect(await tally(install)).toEqual({ ...(eachOnce(1) as object), calls: 2 });
  });

  it('claims nothing for a worker that is killed in the middle of claiming', async () => {
    const install = await newInstall();
    const web = await install.start({ ROLE: 'web' });
    const claimer = await startWorker(install);
    const client = await openClient(install);
    await schedule(web, texts(20, 0), inSeconds(3));
    // The claim waits here in the middle of its statement: the ledger rows cannot be written.
    await client.query('begin; lock table attempts in share mode');
    // Queried on other connections, because one transaction reads the activity only once.
    const claims = () =>
      install.sql<{ waiting: boolean }>(`select wait_event_type = 'Lock' as waiting from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%update posts p set status = ''processing''%'`);
    await waitUntil('the claim has begun', async () => (await claims()).some(({ waiting }) => waiting));

    await claimer.kill9();

    await client.query('commit');
    await waitUntil('the database has noticed', async () => (await claims()).length === 0);
    expect(await install.sql('select distinct status from posts')).toEqual([{ status: 'scheduled' }]);
    expect(await tally(install)).toMatchObject({ posts: 20, sent: 0, attempts: 0 });
    await startWorker(install);
    await allSettled(web);
    expect(await tally(install)).toEqual(eachOnce(20));
  });

  it('survives the loss of every database connection while a backlog drains', async () => {
    const install = await newInstall();
    const server = await install.start();
    const client = await openClient(install);
    await schedule(
      server,
      Array.from({ length: 200 }, (_, index) => `post ${index} [[slow ${index * 10}]]`),
      inSeconds(4),
    );
    const sent = async () =>
      Number((await client.query(`select count(*) from posts where status = 'sent'`)).rows[0].count);
    for (const few of [20, 80, 140]) {
      await waitUntil(`${few} are sent`, async () => (await sent()) >= few);
      await client.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
    }

    // A lease that expires again before its recovery completes would be taken over without end.
    let runOutAt = performance.now();
    await waitUntil(
      'all are settled or were left by a lost outcome',
      async () => {
        if (performance.now() >= runOutAt) {
          await letLeasesRunOut(install);
          // Posts that the sandbox could not store are tried again after a minute.
          await install.sql(`update posts set scheduled_for = now() where status = 'scheduled'`);
          runOutAt = performance.now() + 3_000;
        }
        const { rows } = await client.query(`select 1 from posts where status in ('scheduled', 'processing')`);
        return rows.length === 0;
      },
      90_000,
    );

    // The sandbox uses the same database. A post that it could not accept is failed, and is either unpublished or has
    // an unknown outcome.
    const { rows } = await client.query(`
      select p.status, p.error_code, count(distinct p.id)::int as posts, count(distinct s.id)::int as on_the_timeline,
        count(distinct e.id)::int as events
      from posts p
        left join attempts a on a.post_id = p.id
        left join sandbox_posts s on s.token = a.token
        left join events e on e.subject_id = p.id and e.name in ('post.sent', 'post.failed')
      group by 1, 2 order by 1 desc`);
    const [good, ...others] = rows as { posts: number }[];
    const count = good?.posts ?? 0;
    expect(good).toEqual({ status: 'sent', error_code: null, posts: count, on_the_timeline: count, events: count });
    for (const other of others) {
      const { posts } = other;
      const expected = { status: 'failed', posts, events: posts };
      // Only these posts may have an unknown outcome, and their status says so.
      expect([
        { ...expected, error_code: 'platform_unavailable', on_the_timeline: 0 },
        { ...expected, error_code: 'outcome_unknown', on_the_timeline: expect.any(Number) as number },
      ]).toContainEqual(other);
    }
    expect(rows.reduce((sum, { posts }) => sum + posts, 0)).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 0, signal: null });
  });
});
