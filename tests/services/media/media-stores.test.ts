/** The same tests for each media store: local files, and a bucket on an S3 server. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/clocks.ts';
import { createFileMediaStore } from '../../../services/media/file-media-store.ts';
import { createS3MediaStore } from '../../../services/media/s3-media-store.ts';

const require = createRequire(import.meta.url);
const S3rver = require('@20minutes/s3rver') as new (options: object) => {
  run(): Promise<AddressInfo>;
  httpServer: Server;
};

const folder = await mkdtemp(join(tmpdir(), 'carillon-media-'));
const s3 = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: join(folder, 's3'),
  configureBuckets: [{ name: 'images', configs: [] }],
});
const { port } = await s3.run();
vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
afterAll(async () => {
  s3.httpServer.closeAllConnections();
  s3.httpServer.close();
  await rm(folder, { recursive: true });
});

const bucket = {
  kind: 's3',
  bucket: 'images',
  endpoint: `http://127.0.0.1:${port}`,
  region: undefined,
  prefix: 'carillon/',
} as const;
const stores = {
  files: createFileMediaStore(join(folder, 'media')),
  S3: createS3MediaStore(bucket, systemClock),
};

const KEY = '01900000-0000-7000-8000-000000000001';
const OTHER = '01900000-0000-7000-8000-000000000002';
const BYTES = Buffer.from([0, 255, 1, 254, ...Buffer.from('a picture')]);

describe.each(Object.entries(stores))('%s', (_name, store) => {
  it('returns what was put, byte for byte', async () => {
    await store.put(KEY, BYTES, 'image/png');

    expect(Buffer.from((await store.get(KEY)) ?? [])).toEqual(BYTES);
  });

  it('reads nothing for a signal that has aborted', async () => {
    await store.put(KEY, BYTES, 'image/png');

    await expect(store.get(KEY, AbortSignal.abort())).rejects.toThrow('abort');
  });

  it('stores eight megabytes', async () => {
    const bytes = Buffer.alloc(8 * 1024 * 1024, 7);

    await store.put(OTHER, bytes, 'image/jpeg');

    expect(Buffer.from((await store.get(OTHER)) ?? []).equals(bytes)).toBe(true);
    await store.delete(OTHER);
  });

  it('has nothing under a key that was never put or was deleted', async () => {
    await store.delete(KEY);
    await store.delete(KEY);

    expect([await store.get(KEY), await store.get(OTHER)]).toEqual([null, null]);
  });
});

describe('files', () => {
  it('are readable by this user only, without leftover partial files', async () => {
    await stores.files.put(KEY, BYTES, 'image/png');

    const file = await stat(join(folder, 'media', KEY));
    const directory = await stat(join(folder, 'media'));
    expect([file.mode & 0o777, directory.mode & 0o777]).toEqual([0o600, 0o700]);
    expect(await readdir(join(folder, 'media'))).toEqual([KEY]);
  });

  it.each(['../../etc/passwd', '', 'a/b', `${KEY}/..`, '0190000A-0000-7000-8000-000000000001'])(
    'have no path derived from %j',
    async (key) => {
      await expect(stores.files.get(key)).rejects.toThrow('a media key is not a UUID');
      await expect(stores.files.put(key, BYTES, 'image/png')).rejects.toThrow('a media key is not a UUID');
    },
  );
});

describe('S3', () => {
  it('stores images under its prefix, with their type', async () => {
    await stores.S3.put(KEY, BYTES, 'image/webp');
    const plainStore = createS3MediaStore({ ...bucket, prefix: '' }, systemClock);

    expect(await plainStore.get(KEY)).toBe(null);
    const { S3Client, HeadObjectCommand } = await import('@aws-sdk/client-s3');
    const client = new S3Client({ endpoint: bucket.endpoint, region: 'us-east-1', forcePathStyle: true });
    const head = await client.send(new HeadObjectCommand({ Bucket: 'images', Key: `carillon/${KEY}` }));
    expect([head.ContentType, head.ContentLength]).toEqual(['image/webp', BYTES.length]);
  });

  it('throws if the bucket does not exist', async () => {
    const lost = createS3MediaStore({ ...bucket, bucket: 'elsewhere' }, systemClock);

    await expect(lost.put(KEY, BYTES, 'image/png')).rejects.toThrow('bucket does not exist');
    await expect(lost.get(KEY)).rejects.toThrow('bucket does not exist');
  });
});

describe('a move from files to S3', () => {
  it('takes a copy of each file, under its name behind the prefix', async () => {
    await stores.files.put(OTHER, BYTES, 'image/png');

    const copied = await fetch(`${bucket.endpoint}/${bucket.bucket}/${bucket.prefix}${OTHER}`, {
      method: 'PUT',
      body: await readFile(join(folder, 'media', OTHER)),
    });

    expect(copied.status).toBe(200);
    expect(Buffer.from((await stores.S3.get(OTHER)) ?? [])).toEqual(BYTES);
  });
});
