/** GET /events streams each event with its webhook body and resumes after Last-Event-ID. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { STREAMS_PER_KEY } from '../../services/events/stream-places.ts';
import { makeAccount, type TestAccount } from '../harness/accounts.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { databaseUrl, TEST_DATABASE_URL } from '../harness/database.ts';
import { listenTo } from '../harness/event-stream.ts';
import { refusal } from '../harness/expected.ts';
import { makePost } from '../harness/posts.ts';
import { registerWebhook, startReceiver } from '../harness/receiver.ts';
import { connectionsOf, serveApp } from '../harness/serve-app.ts';
import { type RestCall, startWorld } from '../harness/world.ts';

const world = await startWorld();

const DAY_MS = 86_400_000;

const INSERT = `
  insert into events (id, account_id, profile_id, name, mode, subject_id, payload, created_at, fanned_out_at)
  values ($1, $2, $3, 'post.deleted', $4, $1, $5, $6, $6)`;

interface Happening {
  readonly profileId?: string;
  readonly mode?: 'live' | 'test';
  readonly payload?: object;
}

/** Creates an event in an account. Returns the parameters with which INSERT writes it. */
function happening({ id }: Pick<TestAccount, 'id'>, fields: Happening = {}): unknown[] {
  const { profileId = null, mode = 'live', payload = {} } = fields;
  return [world.context.random.uuid(), id, profileId, mode, JSON.stringify(payload), world.clock.now()];
}

async function happen(account: Pick<TestAccount, 'id'>, fields?: Happening): Promise<string> {
  const event = happening(account, fields);
  await world.sql(INSERT, event);
  return String(event[0]);
}

describe('200', () => {
  it('streams new events with exactly the body that webhooks receive', async () => {
    const { key } = await accountWithSandbox(world);
    const receiver = await startReceiver();
    await makePost(world, 'sandbox', { key, text: 'Before' });
    await registerWebhook(world, receiver.url, { key, events: ['post.sent'] });
    const stream = await listenTo(world, key);

    await makePost(world, 'sandbox', { key, text: 'Ding' });
    const [streamed] = await stream.next(1);

    await world.runDue();
    const [delivered] = receiver.received;
    // Each webhook's delivery has a different event id. All other text is identical.
    const id = delivered?.body.eventId;
    expect(streamed).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      event: 'post.sent',
      mode: 'live',
      data: delivered?.raw.replace(id, streamed?.id ?? ''),
    });
    expect(JSON.parse(streamed?.data ?? '')).toMatchObject({ eventId: streamed?.id, post: { text: 'Ding' } });
  });

  it('is a stream that must not be cached, with the four headers of every response', async () => {
    const { key } = await makeAccount(world);

    const { headers } = (await listenTo(world, key)).response;

    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-request-id': expect.any(String),
      'x-ratelimit-limit': '100000',
      'x-ratelimit-remaining': '99999',
      'x-ratelimit-reset': expect.any(String),
      'access-control-allow-origin': '*',
    });
  });

  it('sends a comment regularly, so that proxies do not close the idle connection', async () => {
    const { key } = await makeAccount(world);
    const response = await fetch(`${world.url}/api/v2/events`, { headers: { 'x-api-key': key } });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.includes(': still here\n') && text.endsWith('\n\n')) break;
    }

    expect(text).toMatch(/^retry: 2000\nid: [\d:,]+@\d+\n\n: still here\nid: [\d:,]+@\d+\n\n$/);
  });

  it('answers HEAD with headers only', async () => {
    const { status, bytes } = await world.rest('HEAD /events');

    expect([status, bytes.length]).toEqual([200, 0]);
  });
});

describe('the scope', () => {
  it('is that of the key: the account, its profile, or test mode only', async () => {
    const account = await makeAccount(world);
    const stranger = await makeAccount(world);
    const [a, b] = [await world.profile('A', account.id), await world.profile('B', account.id)];
    const secretOf = async (type: 'live' | 'test', profileId: string | null) =>
      (await world.key({ type, profileId, accountId: account.id })).secret;
    const keys = {
      account: account.key,
      a: await secretOf('live', a.id),
      test: await secretOf('test', null),
      testA: await secretOf('test', a.id),
    };
    const streams = Object.fromEntries(
      await Promise.all(Object.entries(keys).map(async ([name, key]) => [name, await listenTo(world, key)] as const)),
    );

    await happen(stranger);
    const own = await happen(account);
    const inA = await happen(account, { profileId: a.id });
    const inB = await happen(account, { profileId: b.id });
    const test = await happen(account, { mode: 'test' });
    const testInA = await happen(account, { profileId: a.id, mode: 'test' });

    const received = async (name: keyof typeof keys, count: number) =>
      (await streams[name]?.next(count))?.map(({ id }) => id);
    expect(await received('account', 5)).toEqual([own, inA, inB, test, testInA]);
    expect(await received('a', 2)).toEqual([inA, testInA]);
    expect(await received('test', 2)).toEqual([test, testInA]);
    expect(await received('testA', 1)).toEqual([testInA]);
  });
});

describe('Last-Event-ID', () => {
  it('resumes after an event, across any number of events, without loss or duplicates', async () => {
    const account = await makeAccount(world);
    const first = await listenTo(world, account.key);
    const ids: string[] = [];
    for (let index = 0; index < 250; index += 1) ids.push(await happen(account));
    const [before] = await first.next(1);
    first.close();

    const second = await listenTo(world, account.key, before?.id);

    expect((await second.next(249)).map(({ id }) => id)).toEqual(ids.slice(1));
  });

  it('resumes from the start of a stream that received no event', async () => {
    const account = await makeAccount(world);
    await happen(account);
    const first = await listenTo(world, account.key);
    first.close();
    const missed = await happen(account);

    const second = await listenTo(world, account.key, first.beginning);

    expect((await second.next(1)).map(({ id }) => id)).toEqual([missed]);
  });

  it('resumes a stream without events, for as long as it is open, from a position that heartbeats send', async () => {
    const account = await makeAccount(world);
    const [before, first] = [await happen(account), await listenTo(world, account.key)];
    world.clock.advance(40 * DAY_MS);
    const second = await first.heartbeat();
    first.close();
    await world.housekeep();
    const missed = await happen(account);

    const late = await world.rest('GET /events', {
      key: account.key,
      headers: { 'last-event-id': first.beginning ?? '' },
    });
    const again = await listenTo(world, account.key, second);

    expect([late.status, late.body.error]).toEqual([400, 'invalid_request']);
    expect((await again.next(1)).map(({ id }) => id)).toEqual([missed]);
    expect(missed).not.toBe(before);
  });

  it('resumes after 29 days without loss, and refuses an older event, which may have been removed', async () => {
    const account = await makeAccount(world);
    const [first, second] = [await happen(account), await happen(account)];
    world.clock.advance(29 * DAY_MS);
    await world.housekeep();
    const stream = await listenTo(world, account.key, first);
    const replayed = await stream.next(1);

    world.clock.advance(1000);
    const { status, body } = await world.rest('GET /events', {
      key: account.key,
      headers: { 'last-event-id': first },
    });

    expect(replayed.map(({ id }) => id)).toEqual([second]);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      ...refusal('invalid_request', ''),
      message: `Last-Event-ID: expected the last id that this stream sent, of the last 29 days, and not "${first}". Leave it out to begin with the next event, and read what was missed with GET /posts.`,
    });
  });

  // The embedded database has one connection and cannot run these tests.
  it.skipIf(TEST_DATABASE_URL === undefined)(
    'loses no event when transactions commit in a different order than they began',
    async () => {
      const account = await makeAccount(world);
      const [row] = await world.sql<{ name: string }>('select current_database() as name');
      const slow = new Client({ connectionString: databaseUrl(row?.name ?? '') });
      await slow.connect();
      onTestFinished(() => slow.end());
      const stream = await listenTo(world, account.key);
      const early = happening(account);
      await slow.query('begin');
      await slow.query(INSERT, early);
      const late = await happen(account);
      stream.close();
      const again = await listenTo(world, account.key, stream.beginning);
      const waiting = again.next(2);
      await wait(50);

      await slow.query('commit');

      expect((await waiting).map(({ id }) => id)).toEqual([early[0], late]);
      const behind = await listenTo(world, account.key, String(early[0]));
      expect((await behind.next(1)).map(({ id }) => id)).toEqual([late]);
    },
  );

  it.skipIf(TEST_DATABASE_URL === undefined)(
    'leaves out what was over at its start, also after events of transactions that were open then',
    async () => {
      const account = await makeAccount(world);
      const [row] = await world.sql<{ name: string }>('select current_database() as name');
      const begin = async () => {
        const client = new Client({ connectionString: databaseUrl(row?.name ?? '') });
        await client.connect();
        onTestFinished(() => client.end());
        await client.query('begin');
        await client.query('select pg_current_xact_id()');
        return client;
      };
      const earlier = await begin();
      const later = await begin();
      await happen(account);
      const stream = await listenTo(world, account.key);
      const events = [happening(account), happening(account), happening(account)];
      const ids = events.map(([id]) => id);
      for (const event of events.slice(0, 2)) await earlier.query(INSERT, event);
      await later.query(INSERT, events[2]);
      await earlier.query('commit');
      const [first, second] = await stream.next(2);
      const between = await stream.heartbeat();
      stream.close();
      await later.query('commit');
      const late = await happen(account);
      const eventIds = async (from: string | undefined, count: number) =>
        (await (await listenTo(world, account.key, from)).next(count)).map(
          ({ data }) => JSON.parse(data ?? '').eventId,
        );

      expect(await eventIds(first?.id, 3)).toEqual([...ids.slice(1), late]);
      expect(await eventIds(second?.id, 2)).toEqual([ids[2], late]);
      expect(await eventIds(between, 2)).toEqual([ids[2], late]);
      // An id from before these ids had a snapshot.
      expect(await eventIds(String(ids[2]), 1)).toHaveLength(1);
    },
  );

  it.skipIf(TEST_DATABASE_URL === undefined)(
    'sends no event again to a reader that returns while an earlier transaction is still running',
    async () => {
      const account = await makeAccount(world);
      const [row] = await world.sql<{ name: string }>('select current_database() as name');
      const slow = new Client({ connectionString: databaseUrl(row?.name ?? '') });
      await slow.connect();
      onTestFinished(() => slow.end());
      await slow.query('begin');
      await slow.query('select pg_current_xact_id()');
      const [first, second] = [await happen(account), await happen(account)];
      const stream = await listenTo(world, account.key, first);
      const waiting = stream.next(1);
      await wait(50);

      await slow.query('commit');

      expect((await waiting).map(({ id }) => id)).toEqual([second]);
    },
  );

  it.each(['nonsense', '00000000-0000-7000-8000-000000000000', '1:2', '1:1:', '1:1:@1'])(
    '400: refuses %s',
    async (id) => {
      const { status, body } = await world.rest('GET /events', { headers: { 'last-event-id': id } });

      expect(status).toBe(400);
      expect(body).toMatchObject({
        error: 'invalid_request',
        message: expect.stringContaining(`and not "${id}". Leave it out to begin with the next event, `),
      });
    },
  );

  it.each(['1:9223372036854775807:', '9223372036854775806:9223372036854775807:', '2:1:', ''])(
    '400: refuses an event with the snapshot "%s", which this stream did not send',
    async (snapshot) => {
      const account = await makeAccount(world);
      const id = `${await happen(account)}/${snapshot}`;

      const { status, body } = await world.rest('GET /events', {
        key: account.key,
        headers: { 'last-event-id': id },
      });

      expect([status, body.error]).toEqual([400, 'invalid_request']);
    },
  );

  it('400: refuses the event of another account', async () => {
    const foreign = await happen(await makeAccount(world));

    const { status } = await world.rest('GET /events', { headers: { 'last-event-id': foreign } });

    expect(status).toBe(400);
  });
});

describe('the end of a stream', () => {
  it('comes when the key is revoked', async () => {
    const account = await makeAccount(world);
    const { id, secret } = await world.key({ accountId: account.id });
    const stream = await listenTo(world, secret);

    await world.rest(`DELETE /keys/${id}`, { key: account.key });

    await stream.ended();
    expect((await world.rest('GET /events', { key: secret })).status).toBe(401);
  });

  it('comes when the process stops, with a clean close', async () => {
    const { key } = await makeAccount(world);
    const stopping = new AbortController();
    const { url, server } = await serveApp(world.context, { stopping: stopping.signal });
    const stream = await listenTo({ url }, key);

    stopping.abort();

    await stream.ended();
    await new Promise((resolve) => server.close(resolve));
  });

  it('comes for a reader that does not read; the missed events are available when it reconnects', async () => {
    const account = await makeAccount(world);
    // A poll interval of half a second would make this test take half a minute.
    const sleep = async (_ms: number, signal?: AbortSignal) => {
      await wait(20, undefined, signal === undefined ? {} : { signal });
    };
    const clock = { ...world.context.clock, sleep };
    const { url, server } = await serveApp({ ...world.context, clock });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /api/v2/events HTTP/1.1\r\nhost: localhost\r\nx-api-key: ${account.key}\r\n\r\n`);
    const opening = String((await once(socket, 'data'))[0]);
    socket.pause();
    const ids: string[] = [];
    // Far more than the socket buffers hold.
    const payload = { text: 'x'.repeat(200_000) };
    for (let index = 0; index < 100; index += 1) ids.push(await happen(account, { payload }));

    await expect.poll(() => connectionsOf(server)).toBe(0);

    const again = await listenTo({ url }, account.key, /^id: (.*)$/m.exec(opening)?.[1]);
    expect((await again.next(100)).map(({ id }) => id)).toEqual(ids);
  });
});

describe('refusals', () => {
  it.each<[number, string, `${string} /${string}`, RestCall]>([
    [401, 'unauthorized', 'GET /events', { key: null }],
    [401, 'unauthorized', 'GET /events', { key: 'wrong' }],
    [405, 'method_not_allowed', 'POST /events', { body: {} }],
  ])('%i %s', async (expected, code, call, options) => {
    const { status, body } = await world.rest(call, options);

    expect(status).toBe(expected);
    expect(body.error).toBe(code);
  });

  it('401 has none of the four headers', async () => {
    const { headers, body } = await world.rest('GET /events', { key: null });

    expect([...headers.keys()].filter((name) => /^x-r(equest-id|atelimit)/.test(name))).toEqual([]);
    expect(body).toEqual(refusal('unauthorized', 'The API key is missing, unknown or revoked.'));
  });

  it('403 limit_exceeded above five streams of a key, until one closes', async () => {
    const { key } = await makeAccount(world);
    const streams = await Promise.all(Array.from({ length: STREAMS_PER_KEY }, () => listenTo(world, key)));

    const { status, body } = await world.rest('GET /events', { key });

    expect(status).toBe(403);
    expect(body).toMatchObject({
      error: 'limit_exceeded',
      message: 'Too many event streams are open: this key has 5. Close one and try again.',
    });
    streams[0]?.close();
    await expect.poll(async () => (await listenTo(world, key).catch(() => null)) !== null).toBe(true);
  });

  it('429 is counted in a separate bucket', async () => {
    await using strict = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '1' } });
    (await listenTo(strict, strict.liveKey)).close();

    const { status, headers } = await strict.rest('GET /events');

    expect(status).toBe(429);
    expect(headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await strict.rest('GET /posts')).status).toBe(200);
  });
});
