/** Event streams: no key blocks others, no stream outlives its key, and no header breaks a connection. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../server/app.ts';
import { createStreamPlaces, STREAMS_PER_ACCOUNT, STREAMS_PER_KEY } from '../../services/events/stream-places.ts';
import { serve } from '../../server/http-server.ts';
import { readPosition } from '../../services/events/snapshot.ts';
import { makeAccount } from '../harness/accounts.ts';
import { listenTo } from '../harness/event-stream.ts';
import { refusal } from '../harness/expected.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld();

async function accountWithKeys(count: number) {
  const account = await makeAccount(world);
  const keys = [];
  for (let index = 0; index < count; index += 1) {
    const { id: profileId } = await world.profile('A', account.id);
    keys.push({ profileId, ...(await world.key({ accountId: account.id, profileId })) });
  }
  return { ...account, keys };
}

describe('slots', () => {
  it('are counted by key: one key at its limit leaves the slots of others free', async () => {
    const { key, keys } = await accountWithKeys(2);
    const [greedy, other] = keys.map(({ secret }) => secret);
    await Promise.all(Array.from({ length: STREAMS_PER_KEY }, () => listenTo(world, greedy ?? '')));

    const sixth = await world.rest('GET /events', { key: greedy ?? '' });

    expect(sixth.body).toEqual(
      refusal('limit_exceeded', 'Too many event streams are open: this key has 5. Close one and try again.'),
    );
    for (const secret of [other ?? '', key]) expect((await listenTo(world, secret)).response.status).toBe(200);
  });

  it('of an account and of the process are reserved for keys that have none', () => {
    const places = createStreamPlaces();
    const take = (accountId: string, keyId: string) => places.take({ accountId, keyId });
    for (let index = 0; index < STREAMS_PER_ACCOUNT; index += 1) take('a', `a${Math.floor(index / STREAMS_PER_KEY)}`);

    take('a', 'first of a key');
    expect(() => take('a', 'first of a key')).toThrow('this account has 26');
    for (let index = 0; index < 174; index += 1) take(`b${Math.floor(index / 20)}`, `b${Math.floor(index / 5)}`);
    const release = take('c', 'c');
    expect(() => take('c', 'c')).toThrow('all accounts have 201');
    take('d', 'd');

    release();
    release();
    expect(() => take('d', 'd')).toThrow('all accounts have 201');
  });

  it('are held until the connection is closed, which the end of its stream does', async () => {
    const { keys, key } = await accountWithKeys(1);
    const [own] = keys;
    const { port } = new URL(world.url);
    const socket = connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /api/v2/events HTTP/1.1\r\nHost: here\r\nx-api-key: ${own?.secret}\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    const closed = once(socket, 'close');

    await world.rest(`DELETE /keys/${own?.id}`, { key });

    expect(head.toString()).toMatch(/^HTTP\/1\.1 200 .*\r\nconnection: close\r\n/is);
    await closed;
  });
});

describe('a stream ends', () => {
  it('with its profile, whose keys and webhooks end too', async () => {
    const { key, keys } = await accountWithKeys(2);
    const [gone, stays] = keys;
    const stream = await listenTo(world, gone?.secret ?? '');
    await listenTo(world, stays?.secret ?? '');

    await world.rest(`DELETE /profiles/${gone?.profileId}`, { key });

    await stream.ended();
    expect((await world.rest('GET /events', { key: gone?.secret ?? '' })).status).toBe(401);
    expect((await listenTo(world, stays?.secret ?? '')).response.status).toBe(200);
  });
});

describe('Last-Event-ID', () => {
  const MALFORMED = [
    'nonsense',
    'a'.repeat(10_000),
    '01936b5e-0000-7000-8000-000000000000',
    '1:2',
    ...['0:0:', '5:3:', '1:5:9', '1:9:7,3', '1:9:,', '1:9999999999999999999:'].map((text) => `${text}@1795262400`),
    '9999999999999999999:9999999999999999999:@1795262400',
    '1:1:',
    '1:1:@',
    '1:1:@-1',
    '1:1:@9999999999999',
    '1:1:@1e9',
    `1:9999999:${Array.from({ length: 3_000 }, (_, index) => index + 1).join(',')}@1795262400`,
    '\u00ff\u00fe',
    "1:2:'; drop table events",
  ];

  it.each(MALFORMED.map((id) => [id.slice(0, 40), id]))('400 in JSON for %s', async (_shown, id) => {
    const { status, headers, body } = await world.rest('GET /events', { headers: { 'last-event-id': id } });

    expect([status, headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
    expect(body).toMatchObject({ error: 'invalid_request', message: expect.stringMatching(/^Last-Event-ID: /) });
  });

  it.each(['1:1:', '1:4:', '1:4:1,2,3', '7:7:'])('the snapshot %s is accepted with its time', (text) => {
    expect(readPosition(`${text}@1795262400`)).toMatchObject({
      snapshot: { text },
      at: new Date('2026-11-21T12:00:00.000Z'),
    });
  });

  it.each([
    ['NUL', 'last-event-id: a\0b', 'The request is not valid HTTP: a header or the request line is malformed.'],
    ['more than headers may hold', `last-event-id: ${'a'.repeat(20_000)}`, /^The headers of the request are larger/],
  ])('400 in JSON for %s, which is not valid HTTP', async (_case, header, message) => {
    const limits = { maxConnections: 100, maxConnectionsPerAddress: 100, requestTimeoutMs: 15_000 };
    const server = await serve(
      createApp(world.context),
      { port: 0, host: '127.0.0.1', ...limits },
      { isProxy: () => false, clock: world.clock, log: world.context.log },
    );
    onTestFinished(() => server.close());
    const answer = await rawAnswer(server.port, `GET /api/v2/events HTTP/1.1\r\nHost: here\r\n${header}\r\n\r\n`);

    expect(answer.status).toBe('HTTP/1.1 400 Bad Request');
    expect(answer.body).toEqual({
      ...refusal('invalid_request', ''),
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      docs: expect.stringMatching(/\/docs\/errors#invalid_request$/),
    });
  });
});

async function rawAnswer(port: number, request: string): Promise<{ status: string; body: unknown }> {
  const socket = connect(port, '127.0.0.1');
  socket.write(request);
  let text = '';
  for await (const chunk of socket) text += (chunk as Buffer).toString();
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { status: head.split('\r\n')[0] ?? '', body: JSON.parse(body) };
}
