/** A bucket that refuses, hangs, is slow or cuts off: each call ends soon with an error, and works again afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request as forward, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/clocks.ts';
import { createS3MediaStore } from '../../../services/media/s3-media-store.ts';

const require = createRequire(import.meta.url);
const S3rver = require('@20minutes/s3rver') as new (options: object) => {
  run(): Promise<AddressInfo>;
  httpServer: Server;
};

const directory = await mkdtemp(join(tmpdir(), 'carillon-s3-'));
const s3 = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory,
  configureBuckets: [{ name: 'images', configs: [] }],
});
const { port } = await s3.run();
vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');

type Fault = 'refuses' | 'hangs' | 'cuts off' | 'stops midway';

/** How the next requests are treated, one each; without a fault they are passed on. */
let faults: Fault[] = [];
let requests = 0;

const proxy = createServer((asked, answer) => {
  requests += 1;
  const fault = faults.shift();
  if (fault === 'hangs') return;
  if (fault === 'stops midway') {
    answer.writeHead(200, { 'content-length': '1000' }).write('a part');
    return;
  }
  if (fault === 'refuses') {
    asked.resume();
    answer.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
    return;
  }
  if (fault === 'cuts off') {
    asked.resume();
    answer.writeHead(200, { 'content-length': '1000' }).write('a part');
    setImmediate(() => answer.destroy());
    return;
  }
  const { method, url, headers } = asked;
  const passed = forward({ host: '127.0.0.1', port, method, path: url, headers }, (given) => {
    answer.writeHead(given.statusCode ?? 500, given.headers);
    given.pipe(answer);
  });
  asked.pipe(passed);
}).listen(0, '127.0.0.1');
await once(proxy, 'listening');
afterAll(async () => {
  for (const server of [proxy, s3.httpServer]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(directory, { recursive: true });
});

const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const storeWaiting = (ms: number) =>
  createS3MediaStore({ kind: 's3', bucket: 'images', endpoint, region: undefined, prefix: '' }, systemClock, {
    connectMs: ms,
    idleMs: ms,
    wholeMs: 600_000,
  });
const store = storeWaiting(1_000);

const BYTES = Buffer.from('a picture');
const KEYS = {
  refuses: '01900000-0000-7000-8000-000000000001',
  hangs: '01900000-0000-7000-8000-000000000002',
  'cuts off': '01900000-0000-7000-8000-000000000003',
} as const;

beforeEach(() => {
  faults = [];
  requests = 0;
});

describe.each(['refuses', 'hangs'] as const)('a bucket that %s', (fault) => {
  it('fails each call after two attempts, and answers the next ones', async () => {
    const key = KEYS[fault];
    const calls = {
      put: () => store.put(key, BYTES, 'image/png'),
      get: () => store.get(key),
      delete: () => store.delete(key),
    };
    faults = Array.from({ length: 6 }, () => fault);

    const ends = await Promise.allSettled(Object.values(calls).map((call) => call()));

    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(requests).toBe(6);
    for (const call of Object.values(calls)) await call();
    expect(await store.get(key)).toBeNull();
  });

  it('is not noticed when the second attempt succeeds', async () => {
    faults = [fault];

    await store.put(KEYS[fault], BYTES, 'image/png');

    expect(Buffer.from((await store.get(KEYS[fault])) ?? [])).toEqual(BYTES);
  });
});

it('a bucket that cuts off an image never returns a part of it', async () => {
  await store.put(KEYS['cuts off'], BYTES, 'image/png');
  faults = ['cuts off', 'cuts off'];

  await expect(store.get(KEYS['cuts off'])).rejects.toThrow('aborted');

  faults = [];
  expect(Buffer.from((await store.get(KEYS['cuts off'])) ?? [])).toEqual(BYTES);
});

it.each(['hangs', 'stops midway'] as const)('a read of a bucket that %s ends when its signal aborts', async (fault) => {
  faults = [fault, fault];
  const reading = new AbortController();
  const read = storeWaiting(600_000).get(KEYS.hangs, reading.signal);
  await vi.waitFor(() => expect(requests).toBe(1), { interval: 5, timeout: 20_000 });
  await new Promise(setImmediate);

  reading.abort();

  await expect(read).rejects.toThrow('abort');
  expect(requests).toBe(1);
});
