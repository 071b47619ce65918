/** The whole service behind PgBouncer in transaction mode, with few connections to the server (docs/operations.md#pgbouncer). */
import { expect, it } from 'vitest';
import { startPostFlow } from './post-flow.ts';
import { emptyInstall, ENGINE, freePort, isReady } from './server-process.ts';
import { ensurePgBouncer, startPgBouncer } from './start-pgbouncer.ts';
import { waitUntil } from './wait-until.ts';

/** The fewest that suffice: migrations use one connection while another one holds their lock. */
const POOL_SIZE = 2;

/** Longest start of three processes at once on a busy machine. */
const START_TIMEOUT_MS = 150_000;

/** Posts flow for so long. */
const FLOW_MS = 4_000;

it.skipIf(ENGINE !== 'postgres' || !(await ensurePgBouncer()))(
  'PgBouncer with two connections: processes that start together migrate, and each post goes out once without an error',
  async () => {
    const install = await emptyInstall();
    const through = await startPgBouncer(install.databaseUrl ?? '', POOL_SIZE);
    const ports = await Promise.all([freePort(), freePort()]);
    const web = install.launch({ DATABASE_URL: through, ROLE: 'web' });
    const workers = ports.map((port) => install.launch({ DATABASE_URL: through, ROLE: 'worker', PORT: String(port) }));
    const servers = [web, ...workers];
    // Each for itself: two connections for three processes are seldom free for all of them at one instant of a busy machine.
    await Promise.all(servers.map((server) => waitUntil('it is ready', () => isReady(server), START_TIMEOUT_MS)));
    const flow = await startPostFlow(web);

    await flow.schedule(FLOW_MS);
    flow.post();
    await waitUntil('posts flow', () => flow.accepted > FLOW_MS / 200 + 15);
    await flow.settle();

    await flow.expectEachOnce();
    expect(flow.failures).toBe(0);
    // Before it is ready, /readyz is answered with a warning.
    const lines = servers.flatMap((server) => server.log()).filter(({ path }) => path !== '/readyz');
    expect(lines.filter(({ level }) => level !== 'info')).toEqual([]);
    expect(
      await install.sql(`select 1 from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`),
    ).toEqual([]);
  },
);
