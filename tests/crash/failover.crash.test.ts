/**
 * Failover from a PostgreSQL primary that is killed to its synchronous standby, while posts and webhooks flow
 * (docs/operations.md#failover).
 */
import { expect, it } from 'vitest';
import { PLATFORM_ANSWER_MS, type PostFlow, startPostFlow } from './post-flow.ts';
import { PAIR_USER, type PostgresPair, POSTGRES_BINARIES, startPostgresPair } from './postgres-pair.ts';
import { sendsOf } from './posts.ts';
import { emptyInstall, freePort, type ServerProcess } from './server-process.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { waitUntil } from './wait-until.ts';

/** A claim ends a minute after it was made. What the failover interrupted must be settled before. */
const CLAIM_MS = 60_000;

/** For how long scheduled posts are due: before, during and after the failover. */
const FLOW_MS = 9_000;

interface Running {
  readonly web: ServerProcess;
  readonly worker: ServerProcess;
  readonly flow: PostFlow;
}

/** A web process and a worker on a database of the pair, with posts that flow through them. */
async function startOn(pair: PostgresPair, database: string, databaseUrl: string): Promise<Running> {
  await pair.sql(pair.primaryPort, `create database ${database}`);
  const install = await emptyInstall({ DATABASE_URL: databaseUrl });
  const web = await install.start({ ROLE: 'web' });
  const worker = await install.start({ ROLE: 'worker', PORT: String(await freePort()) });
  return { web, worker, flow: await startPostFlow(web) };
}

const isReady = async ({ web, worker }: Running) => {
  const answers = await Promise.all([web, worker].map((server) => server.get('/readyz')));
  return answers.map(({ status }) => status);
};

it.skipIf(POSTGRES_BINARIES === undefined)(
  'a killed primary: behind a proxy and with two hosts, each post answered 200 goes out once, without a restart',
  async () => {
    const pair = await startPostgresPair();
    const proxy = await startTcpProxy(pair.primaryPort);
    const at = (hosts: string, database: string) => `postgres://${PAIR_USER}@${hosts}/${database}`;
    const hosts = `127.0.0.1:${pair.standbyPort},127.0.0.1:${pair.primaryPort}`;
    const installs = await Promise.all([
      startOn(pair, 'proxied', at(`127.0.0.1:${proxy.port}`, 'proxied')),
      startOn(pair, 'hosts', `${at(hosts, 'hosts')}?target_session_attrs=read-write`),
    ]);
    await Promise.all(installs.map(({ flow }) => flow.schedule(FLOW_MS)));
    for (const { flow } of installs) flow.post();
    const processes = installs.flatMap(({ web, worker }) => [web, worker]);
    await waitUntil('each process is sending', async () => !(await Promise.all(processes.map(sendsOf))).includes(0));

    const killedAt = performance.now();
    proxy.lead(null);
    await pair.killPrimary();
    expect(await Promise.all(installs.map(isReady))).toEqual([
      [503, 503],
      [503, 503],
    ]);
    // The platform answers these sends while there is no database.
    await waitUntil('no send waits for the platform', () => performance.now() > killedAt + PLATFORM_ANSWER_MS);
    // A standby answers queries, and refuses writes until it is promoted.
    proxy.lead(pair.standbyPort);
    expect(await Promise.all(installs.map(isReady))).toEqual([
      [503, 503],
      [503, 503],
    ]);
    await pair.promoteStandby();

    const acceptedBefore = installs.map(({ flow }) => flow.accepted);
    await waitUntil('posts flow again', () =>
      installs.every(({ flow }, index) => flow.accepted > (acceptedBefore[index] ?? 0) + 5),
    );
    await Promise.all(installs.map(({ flow }) => flow.settle(CLAIM_MS)));
    expect(performance.now() - killedAt).toBeLessThan(CLAIM_MS);
    for (const running of installs) {
      await running.flow.expectEachOnce();
      expect(await isReady(running)).toEqual([200, 200]);
    }
  },
);
