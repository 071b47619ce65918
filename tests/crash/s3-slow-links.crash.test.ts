/**
 * A slow link to a bucket: a transfer that makes progress ends well, and one that stops ends with an error. The SDK measures
 * progress in real time, so these tests take some seconds.
 */
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../server/clocks.ts';
import { createS3MediaStore } from '../../services/media/s3-media-store.ts';
import { SELF_SIGNED } from '../harness/self-signed.ts';

vi.stubEnv('AWS_ACCESS_KEY_ID', 'key');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
const authorities = getCACertificates('default');
setDefaultCACertificates([...authorities, SELF_SIGNED.certificate]);

/** A busy machine may stop a test for a second or two. */
const IDLE_MS = 4_000;
/** Of a slow transfer: longer than what may pass without progress. */
const SLOW_MS = 2.5 * IDLE_MS;
const STEPS = 50;
const IMAGE = Buffer.alloc(8 * 1024 * 1024, 7);

/** How a transfer goes; the first part of the key of its image says it. */
type Link = 'slow' | 'stops' | 'trickles';

const requests = new Map<string, number>();
/** Uploads that arrived whole. */
const stored = new Map<string, Buffer>();

/** An S3 server at the other end of the link. */
async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = ''] = (asked.url ?? '').split('?', 1);
  const key = path.slice(path.lastIndexOf('/') + 1);
  const link = key.split('-', 1)[0] as Link;
  requests.set(key, (requests.get(key) ?? 0) + 1);
  if (asked.method === 'PUT') {
    stored.set(key, await readSlowly(asked, link));
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
async function readSlowly(asked: IncomingMessage, link: Link): Promise<Buffer> {
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
const HTTP = `http://127.0.0.1:${portOf(plain)}`;
const HTTPS = `https://127.0.0.1:${portOf(tls)}`;

function storeAt(endpoint: string, clock = systemClock) {
  const bucket = { kind: 's3', bucket: 'images', endpoint, region: undefined, prefix: '' } as const;
  return createS3MediaStore(bucket, clock, { connectMs: 20_000, idleMs: IDLE_MS, wholeMs: 60_000 });
}

describe.concurrent.each([
  ['http', HTTP],
  ['https', HTTPS],
])('over %s', (scheme, endpoint) => {
  const store = storeAt(endpoint);

  it('stores an upload that goes on, however long it takes', async ({ expect }) => {
    const key = `slow-put-${scheme}`;
    await store.put(key, IMAGE, 'image/png');

    expect([stored.get(key)?.equals(IMAGE), requests.get(key)]).toEqual([true, 1]);
  });

  it('reads a download that goes on whole', async ({ expect }) => {
    const key = `slow-get-${scheme}`;
    const bytes = await store.get(key);

    expect([Buffer.from(bytes ?? []).equals(IMAGE), requests.get(key)]).toEqual([true, 1]);
  });

  it('fails an upload that stops after two attempts, and stores nothing', async ({ expect }) => {
    const key = `stops-put-${scheme}`;
    await expect(store.put(key, IMAGE, 'image/png')).rejects.toThrow(`timed out after ${IDLE_MS} ms of inactivity`);

    expect([stored.get(key), requests.get(key)]).toEqual([undefined, 2]);
  });

  it('fails a download that stops, and returns no part of the image', async ({ expect }) => {
    await expect(store.get(`stops-get-${scheme}`)).rejects.toThrow(`timed out after ${IDLE_MS} ms of inactivity`);
  });
});

it.each(['put', 'get'] as const)('ends a %s that takes too long with the limit of the whole call', async (call) => {
  const key = `${call === 'get' ? 'trickles' : 'stops'}-whole`;
  const limits: number[] = [];
  const whole = new AbortController();
  const deadline = (ms: number) => {
    limits.push(ms);
    return whole.signal;
  };
  const store = storeAt(HTTP, { ...systemClock, deadline });
  const calling = call === 'get' ? store.get(key) : store.put(key, IMAGE, 'image/png');
  await vi.waitFor(() => expect(requests.get(key)).toBe(1), { interval: 5, timeout: 20_000 });

  whole.abort();

  await expect(calling).rejects.toThrow('abort');
  expect([limits, requests.get(key)]).toEqual([[60_000], 1]);
});
