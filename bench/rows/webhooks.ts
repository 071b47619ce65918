/**
 * webhooks: deliveries of events to three receivers, against bare signed posts with as many in flight; to one receiver
 * that answers after 100 ms; and with one receiver that hangs.
 */
import { createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { v7 } from 'uuid';
import { call } from '../api.ts';
import { type BenchDatabase, createDatabase, createFolder, notifyWorkers } from '../databases.ts';
import { type BenchProcess, startOnPostgres, startPeer } from '../processes.ts';
import { alternate, BENCH, costsOf, type Measured } from '../rounds.ts';
import { IN_FLIGHT_MAX } from '../../services/webhooks/attempt-window.ts';
import { median, note, type Row } from '../row.ts';

/** Events of a round; each is delivered to every receiver. */
const EVENTS = 1_000;

/**
 * Bursts before the first round, of either side. A new process runs code that is not compiled yet: the first burst of ours takes
 * twice the time of the sixth.
 */
const WARM_UP_BURSTS = 6;

/** Deliveries a second to a receiver that answers after 100 ms; one at a time would be ten. */
const FAR_MIN = 100;

/** Longest a round may take before it fails as stuck. */
const STUCK_AFTER_MS = 60_000;

export const webhooks: Row = {
  name: 'webhooks',
  run: async () => {
    await using database = await createDatabase();
    await using folder = await createFolder();
    await using receivers = await startPeer('receivers.ts', {});
    const settings = { OUTBOUND_ALLOW: '127.0.0.0/8' };
    await using install = await startOnPostgres(database.url, folder.path, 'all', settings);
    const bench = { database, receivers, install };
    const three = () => deliver(bench, ['a', 'b', 'c'], ['a', 'b', 'c']);
    const baseline = () => postBaseline(receivers.origin, ['a', 'b', 'c']);
    for (let burst = 0; burst < WARM_UP_BURSTS; burst += 1) {
      await baseline();
      await three();
    }
    const unit = 'deliveries/s';
    const measured = await alternate({
      row: 'webhooks',
      ours: three,
      baseline,
      unit,
      target: 0.6,
      rounds: 11,
      costs: { ours: costsOf(install, database.client), baseline: costsOf(BENCH, null) },
    });
    const toFar = async () => (await deliver(bench, ['far-a'], ['far-a'])).rate;
    const far = median([await toFar(), await toFar()]);
    const beside = await alternate({
      row: 'webhooks, one of three hangs',
      ours: () => deliver(bench, ['a', 'b', 'hang-c'], ['a', 'b']),
      baseline: () => deliver(bench, ['a', 'b', 'c'], ['a', 'b']),
      unit,
      target: 0.9,
      rounds: 5,
    });
    return [
      measured,
      {
        ...note('webhooks, receiver that answers after 100 ms', `${far.toFixed(0)} deliveries/s`),
        target: `>= ${FAR_MIN} deliveries/s`,
        met: far >= FAR_MIN,
      },
      beside,
    ];
  },
};

interface Bench {
  readonly database: BenchDatabase;
  readonly receivers: BenchProcess;
  readonly install: BenchProcess;
}

/** Workers answer changes that follow each other, here the new webhooks and the events, with one look in this time. */
const SETTLED_AFTER_MS = 500;

let rounds = 0;

/** Counted from the commit of the events until the named receivers have all of them. */
async function deliver(
  { database, receivers, install }: Bench,
  names: readonly string[],
  awaited: readonly string[],
): Promise<Measured> {
  rounds += 1;
  const pathOf = (name: string) => `/${name}-${rounds}`;
  const ids: string[] = [];
  for (const name of names) {
    const url = receivers.origin + pathOf(name);
    ids.push((await call<{ webhook: { id: string } }>(install.origin, '/webhooks', { url })).webhook.id);
  }
  await wait(SETTLED_AFTER_MS);
  await happen(database);
  const started = performance.now();
  await allReceived(receivers.origin, awaited.map(pathOf));
  const tookMs = performance.now() - started;
  // In one transaction, which locks webhooks in their order, and before deliveries, as the service does.
  await database.client.query('begin');
  await database.client.query('select from webhooks where id = any($1) order by id for update', [ids]);
  await database.client.query(`update webhooks set deleted_at = now() where id = any($1)`, [ids]);
  await database.client.query(`update deliveries set status = 'failed' where status in ('pending', 'processing')`);
  await database.client.query('commit');
  const count = EVENTS * awaited.length;
  return { rate: count / (tookMs / 1000), count };
}

async function happen(database: BenchDatabase): Promise<void> {
  const ids = Array.from({ length: EVENTS }, () => v7());
  const post = { id: ids[0], connectionSlug: 'sandbox', text: 'The bells ring at noon.', status: 'sent', error: null };
  await database.client.query(
    `insert into events (id, account_id, name, mode, subject_id, payload, created_at)
     select id, (select id from accounts limit 1), 'post.sent', 'live', id, $2, now() from unnest($1::uuid[]) as e(id)`,
    [ids, { post }],
  );
  await notifyWorkers(database);
}

/** @throws when it takes too long */
async function allReceived(origin: string, paths: readonly string[]): Promise<void> {
  const search = new URLSearchParams([...paths.map((path) => ['path', path]), ['count', String(EVENTS)]]);
  await fetch(`${origin}/?${search.toString()}`, { signal: AbortSignal.timeout(STUCK_AFTER_MS) });
}

/** For each receiver, as many loops as attempts may be in flight: sign, post, wait for the answer, on kept connections. */
async function postBaseline(origin: string, names: readonly string[]): Promise<Measured> {
  rounds += 1;
  const agent = new Agent({ keepAlive: true });
  const started = performance.now();
  await Promise.all(
    names.map(async (name) => {
      let sent = 0;
      const loop = async () => {
        while (sent < EVENTS) {
          sent += 1;
          await postSigned(`${origin}/bare-${name}-${rounds}`, agent);
        }
      };
      await Promise.all(Array.from({ length: IN_FLIGHT_MAX }, loop));
    }),
  );
  agent.destroy();
  const count = EVENTS * names.length;
  return { rate: count / ((performance.now() - started) / 1000), count };
}

function postSigned(url: string, agent: Agent): Promise<void> {
  const t = Math.floor(Date.now() / 1000);
  const post = { id: url, connectionSlug: 'sandbox', text: 'The bells ring at noon.', status: 'sent', error: null };
  const body = JSON.stringify({ eventId: url, event: 'post.sent', timestamp: new Date(), post });
  const v1 = createHmac('sha256', 'whsec_bench').update(`${t}.${body}`).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-service-signature': `t=${t},v1=${v1}` };
  return new Promise((resolve, reject) => {
    const posting = request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().on('end', resolve);
    });
    posting.on('error', reject).end(body);
  });
}
