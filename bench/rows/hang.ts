/**
 * hang: a platform that accepts posts and never answers, and a connection whose posts take 25 s, beside healthy ones.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { call } from '../api.ts';
import { ahead, type Batch, giveOwnAccount, outcomeOf, startFleet } from '../fleet.ts';
import { latenessFinding, type Row } from '../row.ts';

/** Connections to the server that hangs, and posts of each: more than the concurrency limit. */
const HUNG_CONNECTIONS = 60;
const HUNG_EACH = 5;

/** Posts of the slow connection: more than its share of the concurrency limit. */
const SLOW = 300;

const WELL_CONNECTIONS = 100;
const WELL_EACH = 5;

/** Period over which the posts of the healthy connections become due. */
const SPAN_MS = 20_000;

/** How long after the others they begin to be due: by then all hanging requests hang. */
const LATER_MS = 2_000;

/** Time to store the posts before the first is due. */
const SCHEDULING_MS = 8_000;

/** Upper limit of the 99th percentile of the healthy connections. */
const TARGET_MS = 1_000;

export const hang: Row = {
  name: 'hang',
  run: async () => {
    await using server = await startHangingServer();
    const settings = { OUTBOUND_ALLOW: '127.0.0.0/8' };
    await using fleet = await startFleet([1, ...Array.from({ length: WELL_CONNECTIONS }, () => 1)], settings);
    await using _worker = await fleet.startWorker();
    const [slow = [], ...well] = fleet.slugs;
    const hung = Array.from({ length: HUNG_CONNECTIONS }, (_, index) => `hung-${index + 1}`);
    for (const slug of hung) {
      const credentials = { instanceUrl: server.origin, accessToken: slug };
      await call(fleet.origin, '/connections', { platformId: 'mastodon', credentials, slug });
    }
    for (const slug of hung) await giveOwnAccount(fleet.database, [slug]);
    server.hang();
    const due = ahead(SCHEDULING_MS);
    const after = new Date(due.getTime() + LATER_MS);
    const batch: Batch = { slugs: well.flat(), each: WELL_EACH, due: after, overMs: SPAN_MS };
    await fleet.schedule(batch);
    await fleet.schedule({ slugs: slow, each: SLOW, due, directive: '[[slow 25000]]' });
    await fleet.schedule({ slugs: hung, each: HUNG_EACH, due });
    if (Date.now() > due.getTime()) throw new Error('scheduling took too long for this machine');
    await wait(after.getTime() - Date.now());
    const held = server.held();
    if (held === 0) throw new Error('nothing hung');
    const { lateMs } = await outcomeOf(fleet.database, batch);
    return [latenessFinding('hang', lateMs, TARGET_MS, `, beside ${held} calls without an answer`)];
  },
};

interface HangingServer extends AsyncDisposable {
  readonly origin: string;
  /** From now on the server accepts every request and answers none. */
  hang(): void;
  /** Number of requests waiting for an answer. */
  held(): number;
}

/** A Mastodon server that accepts connections, one account per token. */
async function startHangingServer(): Promise<HangingServer> {
  let hanging = false;
  let held = 0;
  const server = createServer((request, response) => {
    if (hanging) {
      held += 1;
      response.once('close', () => (held -= 1));
      return;
    }
    const token = request.headers.authorization?.split(' ')[1];
    const known = request.url === '/api/v1/accounts/verify_credentials';
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(known ? { id: token, username: token } : { error: 'Record not found' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    hang: () => {
      hanging = true;
    },
    held: () => held,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
