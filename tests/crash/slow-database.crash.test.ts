/**
 * A PostgreSQL that is slow rather than gone, and processes that lose only some of their connections
 * (docs/operations.md#a-slow-database).
 */
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PostFlow, startPostFlow } from './post-flow.ts';
import { emptyInstall, ENGINE, freePort, type ServerProcess } from './server-process.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './wait-until.ts';

/** A claim ends a minute after it was made. What was interrupted must be settled before. */
const CLAIM_MS = 60_000;

interface Running {
  readonly servers: readonly ServerProcess[];
  readonly flow: PostFlow;
  /** Lies between the processes and the database. */
  readonly proxy: TcpProxy;
  /** A direct connection to the database. */
  readonly client: Client;
}

async function start(): Promise<Running> {
  const install = await emptyInstall();
  const direct = new URL(install.databaseUrl ?? '');
  const proxy = await startTcpProxy(Number(direct.port || 5432));
  const through = new URL(direct);
  through.hostname = '127.0.0.1';
  through.port = String(proxy.port);
  const web = await install.start({ DATABASE_URL: through.href, ROLE: 'web' });
  const worker = await install.start({ DATABASE_URL: through.href, ROLE: 'worker', PORT: String(await freePort()) });
  const client = new Client({ connectionString: direct.href });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.end());
  return { servers: [web, worker], flow: await startPostFlow(web), proxy, client };
}

async function readiness(servers: readonly ServerProcess[]): Promise<number[]> {
  return (await Promise.all(servers.map((server) => server.get('/readyz')))).map(({ status }) => status);
}

describe.runIf(ENGINE === 'postgres')('on PostgreSQL', () => {
  it('a database that is slow, locked or hangs: each post goes out once, and /readyz says whether it answers', async () => {
    const { servers, flow, proxy, client } = await start();
    await flow.schedule(3_000);
    flow.post();

    // Each query takes 600 ms.
    proxy.delayMs = 300;
    const slowFrom = flow.accepted;
    await waitUntil('posts flow slowly', () => flow.accepted >= slowFrom + 3);
    await waitUntil('both are ready', async () => !(await readiness(servers)).includes(503));
    proxy.delayMs = 4_000;
    expect(await readiness(servers)).toEqual([503, 503]);
    proxy.delayMs = 0;
    await waitUntil('the database answers again', async () => !(await readiness(servers)).includes(503));

    await client.query('begin; lock table posts in access exclusive mode');
    await wait(3_000);
    expect(await readiness(servers)).toEqual([200, 200]);
    await client.query('commit');

    await flow.settle();
    await flow.expectEachOnce();
    expect(flow.failures).toBe(0);
  });

  it('processes that lose half of their connections, or those of Agenda alone: nothing waits for the end of a claim', async () => {
    const { servers, flow, client } = await start();
    await flow.schedule(6_000);
    flow.post();
    const startedAt = performance.now();

    const end = (which: string) =>
      client.query(`select pg_terminate_backend(pid) from (
        select pid, query, row_number() over (order by backend_start) as number from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()) backends where ${which}`);
    for (const which of ['number % 2 = 0', `query like '%agenda_jobs%'`, 'number % 2 = 1', 'number % 2 = 0']) {
      const before = flow.accepted;
      await waitUntil('posts flow', () => flow.accepted > before + 5);
      // Agenda connects again when it looks for work the next time.
      await waitUntil('connections end', async () => ((await end(which)).rowCount ?? 0) > 0);
    }

    await flow.settle();
    expect(performance.now() - startedAt).toBeLessThan(CLAIM_MS);
    await flow.expectEachOnce();
    expect(await readiness(servers)).toEqual([200, 200]);
  });
});
