/** A slow link to a bucket: a transfer that makes progress ends well, and one that stops ends with an error. */
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/clocks.ts';
import { createS3MediaStore } from '../../../services/media/s3-media-store.ts';
import { SELF_SIGNED } from '../../harness/self-signed.ts';

vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, SELF_SIGNED.certificate]);

const IDLE_MS = 1_000;
/** Of a slow transfer: longer than what may pass without progress. */
const SLOW_MS = 4 * IDLE_MS;
const STEPS = 25;
const KEY = '01900000-0000-7000-8000-000000000001';
const IMAGE = Buffer.alloc(8 * 1024 * 1024, 7);

type Link = 'slow' | 'stops' | 'trickles';

let link: Link = 'slow';
let requests = 0;
/** Of the last upload that arrived whole. */
let stored: Buffer | null = null;

/** An S3 server at the other end of the link. */
async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  requests += 1;
  if (asked.method === 'PUT') {
    const bytes = await readSlowly(asked);
    stored = bytes;
    response.setHeader('etag', '"x"').end();
    return;
  }
  response.writeHead(200, { 'content-length': IMAGE.length });
  const piece = Math.ceil(IMAGE.length / STEPS);
  for (let start = 0; start < IMAGE.length; start += piece) {
    if (link === 'stops' && start > 0) return;
    response.write(IMAGE.subarray(start, start + (link === 'trickles' ? 1 : piece)));
    await pause(SLOW_MS / STEPS);
  }
  response.end();
}

/** The first half slowly. The rest follows at once, because it may be in the kernel, where the client sees no progress. */
async function readSlowly(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const step = IMAGE.length / 2 / STEPS;
  let [size, next] = [0, step];
  for await (const chunk of asked as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (link === 'stops') await once(asked, 'close');
    if (size < next || size > IMAGE.length / 2) continue;
    next += step;
    await pause(SLOW_MS / STEPS);
  }
  return Buffer.concat(chunks);
}

const listener = (asked: IncomingMessage, response: ServerResponse) =>
  // A client that gives up ends the request.
  void answer(asked, response).catch(() => undefined);
const plain = createPlainServer(listener).listen(0, '127.0.0.1');
const tls = createTlsServer({ key: SELF_SIGNED.key, cert: SELF_SIGNED.certificate }, listener).listen(0, '127.0.0.1');
await Promise.all([once(plain, 'listening'), once(tls, 'listening')]);
afterAll(() => {
  setDefaultCACertificates(authorities);
  for (const server of [plain, tls]) {
    server.closeAllConnections();
    server.close();
  }
});

const portOf = (server: { address(): AddressInfo | string | null }) => (server.address() as AddressInfo).port;
const endpoints = {
  http: `http://127.0.0.1:${portOf(plain)}`,
  https: `https://127.0.0.1:${portOf(tls)}`,
};

function storeAt(endpoint: string, clock = systemClock) {
  const bucket = { kind: 's3', bucket: 'images', endpoint, region: undefined, prefix: '' } as const;
  return createS3MediaStore(bucket, clock, { connectMs: 20_000, idleMs: IDLE_MS, wholeMs: 60_000 });
}

beforeEach(() => {
  link = 'slow';
  requests = 0;
  stored = null;
});

describe.each(Object.entries(endpoints))('over %s', (_scheme, endpoint) => {
  const store = storeAt(endpoint);

  it('an upload that goes on is stored, however long it takes', { timeout: 30_000 }, async () => {
    await store.put(KEY, IMAGE, 'image/png');

    expect([stored?.equals(IMAGE), requests]).toEqual([true, 1]);
  });

  it('a download that goes on is read whole', { timeout: 30_000 }, async () => {
    const bytes = await store.get(KEY);

    expect([Buffer.from(bytes ?? []).equals(IMAGE), requests]).toEqual([true, 1]);
  });

  it('an upload that stops fails after two attempts, and nothing is stored', { timeout: 30_000 }, async () => {
    link = 'stops';

    await expect(store.put(KEY, IMAGE, 'image/png')).rejects.toThrow(`timed out after ${IDLE_MS} ms of inactivity`);

    expect([stored, requests]).toEqual([null, 2]);
  });

  it('a download that stops fails, and returns no part of the image', { timeout: 30_000 }, async () => {
    link = 'stops';

    await expect(store.get(KEY)).rejects.toThrow(`timed out after ${IDLE_MS} ms of inactivity`);
  });
});

it.each(['put', 'get'] as const)('a %s that takes too long ends with the limit of the whole call', async (call) => {
  link = call === 'get' ? 'trickles' : 'stops';
  const limits: number[] = [];
  const whole = new AbortController();
  const deadline = (ms: number) => {
    limits.push(ms);
    return whole.signal;
  };
  const store = storeAt(endpoints.http, { ...systemClock, deadline });
  const calling = call === 'get' ? store.get(KEY) : store.put(KEY, IMAGE, 'image/png');
  await vi.waitFor(() => expect(requests).toBe(1), { interval: 5, timeout: 20_000 });

  whole.abort();

  await expect(calling).rejects.toThrow('abort');
  expect([limits, requests]).toEqual([[60_000], 1]);
});
