/**
 * Clients that send slowly, or never finish. A caller without a key is answered before the body arrives. Each
 * connection has a time limit, and their number is limited.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../server/app.ts';
import { type HttpServer, serve } from '../../server/http-server.ts';
import { consoleHeaders } from '../harness/console-calls.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { LIVE_KEY, startWorld, type World } from '../harness/world.ts';

const world = await startWorld();

const HOUR_MS = 3_600_000;

const GENEROUS = { maxConnections: 5_000, maxConnectionsPerAddress: 500, requestTimeoutMs: 60_000 };

interface ServeOptions extends Partial<typeof GENEROUS> {
  readonly isProxy?: (address: string) => boolean;
}

/** The application on a separate socket, as an install serves it. */
async function listening(options: ServeOptions = {}, of: World = world): Promise<HttpServer> {
  const { isProxy = () => false, ...limits } = options;
  const stopping = new AbortController();
  const server = await serve(
    createApp(of.context, { stopping: stopping.signal }),
    { port: 0, host: '127.0.0.1', ...GENEROUS, ...limits },
    { isProxy, clock: of.clock, log: { warn: () => undefined } },
  );
  onTestFinished(async () => {
    stopping.abort();
    await server.close();
  });
  return server;
}

/** A client that shows what it has received. */
interface Client {
  readonly socket: Socket;
  received(): string;
  /** Resolves when `text` has arrived; rejects when the connection closes before. */
  until(text: string): Promise<void>;
  readonly closed: Promise<unknown>;
}

async function client({ port }: HttpServer): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => (received += text));
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  const until = async (text: string) => {
    while (!received.includes(text)) {
      const more = once(socket, 'data');
      const over = await Promise.race([more.then(() => false), closed.then(() => true)]);
      if (over && !received.includes(text)) throw new Error(`closed before ${text}; received: ${received}`);
    }
  };
  return { socket, received: () => received, until, closed };
}

const head = (line: string, headers: readonly string[]) =>
  `${[line, 'host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

/** Bytes of the buffers that something still holds: garbage is collected first, so that a busy machine measures the same. */
function keptBytes(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

const BODY = Buffer.alloc(1_048_575, ' ');
const UNKNOWN_KEY = `crl_live_${'X'.repeat(40)}`;

describe('a caller without a key that stalls before the last byte', () => {
  const json = 'content-type: application/json';
  const surfaces: [string, string[]][] = [
    ['POST /api/v2/posts HTTP/1.1', [json]],
    ['POST /api/v2/nowhere HTTP/1.1', [json]],
    ['POST /api/v2/media HTTP/1.1', ['content-type: image/png']],
    ['POST /trpc/posts.create HTTP/1.1', [json]],
    ['POST /trpc/posts.create,posts.create?batch=1 HTTP/1.1', [json]],
    ['POST /mcp HTTP/1.1', [json, 'accept: application/json, text/event-stream']],
    ['POST /owner/trpc/posts.create HTTP/1.1', [json]],
    ['POST /trpc/media.upload HTTP/1.1', [json]],
    ['POST /owner/trpc/media.upload HTTP/1.1', [json]],
    ['POST /operator/accounts HTTP/1.1', [json]],
  ];
  const keys: string[][] = [
    [],
    ['x-api-key: no-key'],
    [`x-api-key: ${UNKNOWN_KEY}`],
    [`authorization: Bearer ${UNKNOWN_KEY}`],
  ];

  it('is answered 401 at once, three hundred times, and no body is kept', async () => {
    const operated = await startWorld({ env: { OPERATOR_TOKEN: 'o'.repeat(32) } });
    const server = await listening({}, operated);
    const before = keptBytes();

    const clients = await Promise.all(
      Array.from({ length: 304 }, async (_, index) => {
        const [line, headers] = surfaces[index % surfaces.length] ?? ['', []];
        const key = keys[Math.floor(index / surfaces.length) % keys.length] ?? [];
        const stalling = await client(server);
        stalling.socket.write(head(line, [...headers, ...key, `content-length: ${BODY.length + 1}`]));
        stalling.socket.write(BODY);
        await stalling.until('\r\n\r\n');
        return { line, status: /^HTTP\/1\.1 (\d+)/.exec(stalling.received())?.[1] };
      }),
    );

    // This application has no operator endpoints, because it got no token.
    const expected = (line: string) => (line.includes('/operator') ? '404' : '401');
    expect(clients.filter(({ line, status }) => status !== expected(line))).toEqual([]);
    // Freed buffers are counted until they are swept, which another thread does.
    await expect.poll(() => keptBytes() - before).toBeLessThan(64 * 1_048_576);
  });
});

describe('a request', () => {
  const limits = { requestTimeoutMs: 300 };
  const stalled: [string, string][] = [
    ['before the end of its headers', 'POST /api/v2/posts HTTP/1.1\r\nhost: localhost\r\n'],
    [
      'before the end of its body',
      head('POST /api/v2/posts HTTP/1.1', [`x-api-key: ${LIVE_KEY}`, 'content-length: 9']) + '{',
    ],
    [
      'in the middle of an upload',
      head('POST /api/v2/media HTTP/1.1', [`x-api-key: ${LIVE_KEY}`, 'content-type: image/png', 'content-length: 9']) +
        'x',
    ],
    [
      'in a form',
      head('POST /sign-in HTTP/1.1', ['content-type: application/x-www-form-urlencoded', 'content-length: 9']) + 'x',
    ],
    [
      'in a token request',
      head('POST /oauth/token HTTP/1.1', ['content-type: application/x-www-form-urlencoded', 'content-length: 9']) +
        'x',
    ],
    [
      'in a message to agents',
      head('POST /mcp HTTP/1.1', [
        `x-api-key: ${LIVE_KEY}`,
        'content-type: application/json',
        'accept: application/json, text/event-stream',
        'content-length: 9',
      ]) + '{',
    ],
    [
      'in a batch',
      head('POST /trpc/posts.create HTTP/1.1', [
        `x-api-key: ${LIVE_KEY}`,
        'content-type: application/json',
        'content-length: 9',
      ]) + '{',
    ],
  ];

  it.each(stalled)('that stalls %s is answered 408, and its connection closed', async (_where, sent) => {
    const server = await listening(limits);
    const stalling = await client(server);

    stalling.socket.write(sent);
    await stalling.closed;

    expect(stalling.received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('that has fully arrived may be answered for longer: a stream continues', async () => {
    const server = await listening(limits);
    const reader = await client(server);
    reader.socket.write(head('GET /api/v2/events HTTP/1.1', [`x-api-key: ${LIVE_KEY}`]));
    await reader.until('retry: ');

    const stalling = await client(server);
    stalling.socket.write('GET ');
    await stalling.closed;
    const { body } = await world.rest('POST /posts', { body: { text: 'Hello', connectionSlugs: [world.sandboxSlug] } });

    await reader.until(body.results[0].postId as string);
  });

  it('is counted with the check of its key when its body came along, and after its body otherwise', async () => {
    const server = await listening();
    const { check } = world.context.keyChecks;
    const buckets: (string | undefined)[] = [];
    Object.assign(world.context.keyChecks, {
      check: (hash: string, bucket: string | undefined) => {
        buckets.push(bucket);
        return check(hash, bucket);
      },
    });
    onTestFinished(() => void Object.assign(world.context.keyChecks, { check }));
    const line = head('POST /api/v2/posts HTTP/1.1', [`x-api-key: ${LIVE_KEY}`, 'content-length: 2']);
    const [whole, late] = [await client(server), await client(server)];

    whole.socket.write(`${line}{}`);
    await whole.until('HTTP/1.1 400');
    late.socket.write(`${line}{`);
    await expect.poll(() => buckets.length).toBe(2);
    late.socket.write('}');
    await late.until('HTTP/1.1 400');

    expect(buckets).toEqual(['/posts', undefined, '/posts']);
    expect(late.received()).toContain('x-ratelimit-remaining: ');
  });
});

describe('a key that is revoked while the body is held back', () => {
  const json = 'content-type: application/json';
  const call = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'posts_create', arguments: {} },
  });
  const surfaces: [string, string[], string][] = [
    ['POST /api/v2/posts HTTP/1.1', [json], '{}'],
    ['POST /mcp HTTP/1.1', [json, 'accept: application/json, text/event-stream'], call],
    ['POST /trpc/posts.create HTTP/1.1', [json], '{}'],
  ];

  it.each(surfaces)('has no rights: %s', async (line, headers, body) => {
    const server = await listening();
    const { id, secret } = await world.key();
    const { check } = world.context.keyChecks;
    let checks = 0;
    Object.assign(world.context.keyChecks, {
      check: async (...given: Parameters<typeof check>) => {
        const checked = await check(...given);
        checks += 1;
        return checked;
      },
    });
    onTestFinished(() => void Object.assign(world.context.keyChecks, { check }));
    const late = await client(server);
    late.socket.write(head(line, [...headers, `x-api-key: ${secret}`, `content-length: ${body.length}`]));
    await expect.poll(() => checks).toBe(1);

    await world.sql('update api_keys set revoked_at = now() where id = $1', [id]);
    late.socket.write(body);
    await late.until('\r\n\r\n');

    expect(late.received()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('a sign-in that ends while the body is held back', () => {
  it.each(['posts.create', 'people.listSignIns'])('has no rights: %s', async (operation) => {
    const owned = await startWorld({ env: OWNER_ENV });
    const server = await listening({}, owned);
    const headers = Object.entries(await consoleHeaders(await signedInBrowser(owned)));
    const late = await client(server);
    const lines = headers.map(([name, value]) => `${name}: ${value}`);
    // Its use is recorded again after a while.
    owned.clock.advance(HOUR_MS);
    late.socket.write(head(`POST /owner/trpc/${operation} HTTP/1.1`, [...lines, 'content-length: 2']));
    const seen = 'select 1 from sign_ins where last_seen_at = $1';
    await expect.poll(async () => (await owned.sql(seen, [owned.clock.now()])).length).toBe(1);

    await owned.sql('delete from sign_ins');
    late.socket.write('{}');
    await late.until('\r\n\r\n');

    expect(late.received()).toMatch(/^HTTP\/1\.1 401 /);
  });
});

describe('connections', () => {
  const ask = head('GET /livez HTTP/1.1', []);

  it.each([
    ['from one address', { maxConnectionsPerAddress: 3 }],
    ['in all', { maxConnections: 3 }],
  ])('%s are bounded, and one that ends makes room', async (_which, limits) => {
    const server = await listening(limits);
    const open = [await client(server), await client(server), await client(server)];
    for (const { socket, until } of open) {
      socket.write(ask);
      await until('ok\n');
    }
    const refused = await client(server);
    await refused.closed;
    expect(refused.received()).toBe('');

    open[0]?.socket.end();
    await open[0]?.closed;

    const next = await client(server);
    next.socket.write(ask);
    await next.until('ok\n');
  });

  it('of a proxy are not counted by its address, but the requests of its clients are', async () => {
    const proxied = await startWorld({ env: { TRUST_PROXY: '1', MAX_CONNECTIONS_PER_ADDRESS: '2' } });
    const server = await listening({ isProxy: () => true, maxConnectionsPerAddress: 2 }, proxied);
    const stream = async (forwardedFor: string, target = '/api/v2/events') => {
      const reader = await client(server);
      reader.socket.write(
        head(`GET ${target} HTTP/1.1`, [`x-api-key: ${LIVE_KEY}`, `x-forwarded-for: ${forwardedFor}`]),
      );
      await reader.until('\r\n\r\n');
      return reader.received().toLowerCase();
    };

    const answers: string[] = [];
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8::3', '203.0.113.9'])
      answers.push(await stream(address));

    expect(answers.map((answer) => /^http\/1\.1 (\d+)/.exec(answer)?.[1])).toEqual(['200', '200', '429', '200']);
    expect(answers[2]).toContain('\r\nretry-after: 1\r\n');
    expect(answers[2]).toContain('\r\nx-content-type-options: nosniff\r\n');
    expect(answers[2]).toContain('\r\naccess-control-allow-origin: *\r\n');
    for (const target of ['/API/v2/posts', '/trpc', '/TRPC/posts.list', 'http://here.example/api/v2'])
      expect(await stream('2001:db8::3', target)).toContain('\r\naccess-control-allow-origin: *\r\n');
    for (const target of ['/mcp', '/console', '/trpcx', '/apiary'])
      expect(await stream('2001:db8::3', target)).not.toContain('access-control-allow-origin');
  });
});
