/** GET /exports/{kind} streams everything of an account in a stable order, without secrets, and holds nothing. */
import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { parse } from 'csv-parse/sync';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Credentials } from '../../mcp/admit.ts';
import { serveExports } from '../../server/exports.ts';
import { archiveEntries } from '../../services/exports/archive-entries.ts';
import { EXPORT_KINDS, type ExportKindName } from '../../services/exports/export-kinds.ts';
import { authenticate } from '../../services/keys/authenticate.ts';
import { accountWithSandbox, connectSandbox } from '../harness/connections.ts';
import { refusal } from '../harness/expected.ts';
import { OWNER_ENV, signedInBrowser } from '../harness/owner.ts';
import { makePost } from '../harness/posts.ts';
import { IMAGE, KEYS, makeTenant } from '../harness/tenant.ts';
import { readZip } from '../harness/read-zip.ts';
import { startWorld, type World } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const UNKNOWN = '01a202f3-8cd8-701b-b6cc-408cab47ea77';
const KINDS = Object.keys(EXPORT_KINDS) as ExportKindName[];

// eslint-disable-next-line typescript/no-explicit-any -- rows of all kinds
type Row = any;

async function exported(kind: string, key: string, query = ''): Promise<Row[]> {
  const { status, bytes } = await world.rest(`GET /exports/${kind}?${query}`, { key });
  expect(status).toBe(200);
  return bytes
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** An account with something of every kind. */
async function fullAccount(install: World = world) {
  const account = await accountWithSandbox(install);
  const { key } = account;
  const { body } = await install.rest('POST /media', { key, raw: IMAGE, headers: { 'content-type': 'image/png' } });
  const media = [{ id: body.media.id, altText: 'A bell' }];
  const post = await makePost(install, 'sandbox', { key, text: '=Ding("x"), dong', tags: ['a'], media });
  const profile = (await install.rest('POST /profiles', { key, body: { name: 'Acme' } })).body.profile;
  const hook = (await install.rest('POST /webhooks', { key, body: { url: 'http://127.0.0.1:9/hook' } })).body.webhook;
  await install.sql(`insert into metrics_reads (post_id, number, fetched_at, likes) values ($1, 1, $2, 7)`, [
    post.postId,
    install.clock.now(),
  ]);
  return { ...account, mediaId: body.media.id as string, post, profile, hook };
}

/** Copies the only post of an account, with ids in the order of time: before its own. @param text in SQL, of copy `n` */
async function copyPost(accountId: string, count: number, text: string): Promise<void> {
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text,
       tags, thread, created_at, sent_at)
     select ('00' || substr(gen_random_uuid()::text, 3))::uuid, account_id, connection_id, connection_slug, platform_id,
       mode, 'sent', ${text}, '', tags, thread, created_at, sent_at
     from posts, generate_series(1, $2::int) n where account_id = $1`,
    [accountId, count],
  );
}

describe('200', () => {
  it('gives everything that the lists show, and the whole posts', async () => {
    const { key, connection, mediaId, post, profile, hook } = await fullAccount();
    const one = async (call: `GET /${string}`) => (await world.rest(call, { key })).body;
    const {
      media: _media,
      rewrite: _rewrite,
      stopId: _stop,
      error,
      ...detail
    } = (await one(`GET /posts/${post.postId}`)).post;
    const { secret: _secret, ...webhook } = hook;

    expect(await exported('posts', key)).toEqual([
      { ...detail, mode: 'live', media: [{ id: mediaId, altText: 'A bell' }], error },
    ]);
    expect(await exported('connections', key)).toEqual((await one('GET /connections')).connections);
    expect(await exported('profiles', key)).toEqual([
      { ...profile, voice: { rules: [], examples: [], bannedPhrases: [] } },
    ]);
    expect(await exported('webhooks', key)).toEqual([webhook]);
    expect(await exported('media', key)).toEqual((await one('GET /media')).media);
    expect(await exported('audit', key)).toEqual((await one('GET /audit?limit=100')).entries.toReversed());
    expect(await exported('queues', key)).toEqual([
      {
        connectionId: connection.id,
        connectionSlug: 'sandbox',
        profileId: null,
        timezone: 'UTC',
        slots: [],
        paused: false,
      },
    ]);
    const fetchedAt = world.clock.now().toISOString();
    const none = { impressions: null, reposts: null, replies: null, clicks: null };
    expect(await exported('metrics', key)).toEqual([{ postId: post.postId, fetchedAt, ...none, likes: 7 }]);
  });

  it.each(KINDS)('gives %s as CSV with the same values, and no cell that a spreadsheet runs', async (kind) => {
    const { key } = await fullAccount();
    const rows = await exported(kind, key);

    const { headers, bytes } = await world.rest(`GET /exports/${kind}?format=csv`, { key });

    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe(`attachment; filename="carillon-${kind}.csv"`);
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
    const [header, ...lines] = parse(bytes, { bom: true }) as string[][];
    expect(header).toEqual(EXPORT_KINDS[kind].columns);
    expect(lines.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    const cell = (value: unknown) => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      return value === null ? '' : text.replace(/^=/, "'=");
    };
    // The CSV request has no audit entry, because it changes nothing.
    expect(lines).toEqual(rows.map((row) => EXPORT_KINDS[kind].columns.map((column) => cell(row[column]))));
  });

  it('gives texts as CSV that an import reads as they were, also those that begin with an apostrophe', async () => {
    const { key } = await accountWithSandbox(world);
    const texts = ['=1+1', "'=1+1", "''=1+1", "'+1", '-1', "'@ding", "'quoted'", "''", '"a", b\r\nc; d', "'-\n-", '🔔'];
    for (const text of texts) await makePost(world, 'sandbox', { key, text });
    const { bytes } = await world.rest('GET /exports/posts?format=csv', { key });
    const exported = parse(bytes, { bom: true, columns: true }) as { text: string }[];
    const cells = exported.map(({ text }) => `"${text.replaceAll('"', '""')}"`);
    const other = await accountWithSandbox(world);
    const content = ['text', ...cells].join('\n');

    await world.rest('POST /imports', {
      key: other.key,
      body: { format: 'csv', content, connectionSlugs: ['sandbox'] },
    });
    await world.runDue();

    expect(exported.filter(({ text }) => /^[=+\-@\t\r\n]/.test(text))).toEqual([]);
    const { posts } = (await world.rest('GET /posts?limit=100', { key: other.key })).body;
    expect(posts.map(({ text }: { text: string }) => text).toReversed()).toEqual(texts);
  });

  it('gives what was made before the clock was set back', async () => {
    await using install = await startWorld();
    const now = install.clock.now();
    install.clock.advance(86_400_000);
    const { key } = await fullAccount(install);

    install.clock.set(now);

    const { bytes } = await install.rest('GET /exports/archive', { key });
    const files = readZip(bytes);
    const empty = KINDS.filter((kind) => files.get(`${kind}.ndjson`)?.toString() === '');
    expect(empty).toEqual([]);
    expect([...files.keys()].filter((name) => name.startsWith('images/'))).toHaveLength(1);
  });

  it('contains no secret of the account', async () => {
    const { key, hook } = await fullAccount();
    await world.rest('POST /calendars', { key, body: {} });
    let all = '';
    for (const kind of KINDS) all += JSON.stringify(await exported(kind, key));

    expect(all).not.toMatch(/whsec_|crl_(?:live|test)_|cal_|v1:|"(?:credentials?|secret|secretHash|accessToken)"/i);
    const [{ credentials }] = (await world.sql('select credentials from connections limit 1')) as [
      { credentials: string },
    ];
    expect(all).not.toContain(credentials.slice(0, 30));
    expect(all).toContain(hook.id);
  });

  it('gives thousands of posts once each in the order of their ids, and goes on after any of them', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    await copyPost(accountId, 1_999, 'n::text');
    const stored = await world.sql<{ id: string }>('select id from posts where account_id = $1 order by id', [
      accountId,
    ]);

    const ids = (await exported('posts', key)).map(({ id }) => id);

    expect(ids).toEqual(stored.map(({ id }) => id));
    expect((await exported('posts', key, `after=${ids[1_234]}`)).map(({ id }) => id)).toEqual(ids.slice(1_235));
  });

  it('of an archive gives no further image once its key is revoked', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const other = await world.key({ accountId });
    for (let images = 0; images < 2; images += 1)
      await world.rest('POST /media', { key, raw: IMAGE, headers: { 'content-type': 'image/png' } });
    const admission = await authenticate(world.context, other.secret);
    if (admission === null) throw new Error('the key is not valid');
    await world.advance(5_000);
    const names: string[] = [];

    const reading = (async () => {
      for await (const { name } of archiveEntries(world.context, admission.caller, 'ndjson')) {
        names.push(name);
        if (name.startsWith('images/')) await world.rest(`DELETE /keys/${other.id}`, { key });
      }
    })();

    await expect(reading).rejects.toThrow('the key of an export has ended');
    expect(names.filter((name) => name.startsWith('images/'))).toHaveLength(1);
  });

  it('is cut when its key is revoked, so that the reader does not take a part for the whole', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const other = await world.key({ accountId });
    await makePost(world, 'sandbox', { key });
    const big = 'x'.repeat(400);
    await world.sql(
      `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text,
         tags, thread, created_at)
       select ('00' || substr(gen_random_uuid()::text, 3))::uuid, account_id, connection_id, connection_slug, platform_id,
         mode, 'draft', repeat($2, 40), '', tags, thread, created_at
       from posts, generate_series(1, 2000) n where account_id = $1`,
      [accountId, big],
    );
    const answer = await new Promise<{ cut: boolean; bytes: number }>((resolve, reject) => {
      const request = get(
        `${world.url}/api/v2/exports/posts`,
        { headers: { 'x-api-key': other.secret } },
        (response) => {
          let bytes = 0;
          response.once('data', () => {
            response.pause();
            world
              .rest(`DELETE /keys/${other.id}`, { key })
              .then(() => response.resume())
              .catch(reject);
          });
          response.on('data', (chunk: Buffer) => (bytes += chunk.length));
          response.on('close', () => resolve({ cut: !response.complete, bytes }));
          response.on('error', () => undefined);
        },
      );
      request.on('error', reject);
    });

    expect(answer.cut).toBe(true);
    expect(answer.bytes).toBeLessThan(2_000 * 16_000);
  });
});

describe('the archive', () => {
  it.each(['ndjson', 'csv'])('is one ZIP file with every kind as %s and the bytes of the images', async (format) => {
    const { key, mediaId } = await fullAccount();
    const one = async (kind: string) => (await world.rest(`GET /exports/${kind}?format=${format}`, { key })).bytes;

    const { headers, bytes } = await world.rest(`GET /exports/archive?format=${format}`, { key });

    expect(headers.get('content-type')).toBe('application/zip');
    expect(headers.get('content-disposition')).toBe('attachment; filename="carillon-archive.zip"');
    const files = readZip(bytes);
    const image = (await world.rest(`GET /media/${mediaId}/raw`, { key })).bytes;
    const names = KINDS.map((kind) => `${kind}.${format}`);
    expect([...files.keys()].toSorted()).toEqual([...names, 'README.txt', `images/${mediaId}.png`].toSorted());
    expect(files.get(`images/${mediaId}.png`)).toEqual(image);
    for (const kind of KINDS) expect(files.get(`${kind}.${format}`)).toEqual(await one(kind));
  });

  it('leaves out, and says so, what the key may not read', async () => {
    const { id: accountId } = await fullAccount();
    const { id, secret } = await world.key({ accountId });
    await world.sql(`update api_keys set scopes = '{connections:read}' where id = $1`, [id]);

    const files = readZip((await world.rest('GET /exports/archive', { key: secret })).bytes);

    expect([...files.keys()]).toEqual(['README.txt', 'connections.ndjson', 'queues.ndjson']);
    expect(files.get('README.txt')?.toString()).toContain('posts, metrics, audit, webhooks, profiles, media');
  });

  it('has thousands of rows, and cannot go on after one', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    await copyPost(accountId, 1_999, 'n::text');

    const { bytes } = await world.rest('GET /exports/archive', { key });

    expect(readZip(bytes).get('posts.ndjson')?.toString().trim().split('\n')).toHaveLength(2_000);
    const answer = await world.rest(`GET /exports/archive?after=${UNKNOWN}`, { key });
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
  });

  it('leaves nothing behind when its reader goes', async () => {
    const { key } = await fullAccount();
    for (let times = 0; times < 5; times += 1) {
      await new Promise<void>((resolve, reject) => {
        const request = get(`${world.url}/api/v2/exports/archive`, { headers: { 'x-api-key': key } }, (response) => {
          response.on('close', resolve);
          response.on('error', () => undefined);
          request.destroy();
        });
        request.on('error', reject);
      });
    }

    expect(readZip((await world.rest('GET /exports/archive', { key })).bytes).size).toBeGreaterThan(1);
  });
});

describe('a signed-in person', () => {
  const load = async (path: string, headers: Record<string, string> = {}) => {
    const { cookies } = await signedInBrowser(world);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(`${world.url}/owner/exports/${path}`, { headers: { cookie, ...headers } });
    return { status: response.status, bytes: Buffer.from(await response.arrayBuffer()), headers: response.headers };
  };

  it('gets what a key of the account gets', async () => {
    await makePost(world, world.sandboxSlug);
    for (const path of ['posts', 'posts?format=csv', 'connections', 'audit']) {
      const { status, bytes } = await load(path, { 'sec-fetch-site': 'same-origin' });
      expect([path, status, bytes.toString()]).toEqual([
        path,
        200,
        (await world.rest(`GET /exports/${path}`)).bytes.toString(),
      ]);
    }
    expect(readZip((await load('archive')).bytes).has('posts.ndjson')).toBe(true);
  });

  it('gets no export by a link on another site, and none without a sign-in', async () => {
    const { status, bytes } = await load('posts', { 'sec-fetch-site': 'cross-site' });
    expect([status, JSON.parse(bytes.toString()).error]).toEqual([403, 'forbidden']);

    const without = await fetch(`${world.url}/owner/exports/posts`, { headers: { 'x-api-key': world.liveKey } });

    expect(without.status).toBe(401);
  });

  it('is told which exports there are', async () => {
    const { status, bytes } = await load('poets');

    expect(status).toBe(404);
    expect(JSON.parse(bytes.toString()).message).toContain('media, archive');
  });
});

describe('a reader that leaves', () => {
  it('leaves nothing behind: the account reads as many exports again', async () => {
    const { key } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    for (let times = 0; times < 5; times += 1) {
      await new Promise<void>((resolve, reject) => {
        const request = get(`${world.url}/api/v2/exports/posts`, { headers: { 'x-api-key': key } }, (response) => {
          response.on('close', resolve);
          response.on('error', () => undefined);
          request.destroy();
        });
        request.on('error', reject);
      });
    }

    expect(await exported('posts', key)).toHaveLength(1);
  });
});

/** The exports on a server of their own. @returns its address */
async function exportsServer(key: string, stalledAfterMs: number): Promise<string> {
  const stopping = new AbortController();
  const credentials: Credentials = { presentedKey: () => key, checkAccessToken: async () => null };
  const { forKeys } = serveExports(world.context, credentials, { stopping: stopping.signal, stalledAfterMs });
  const server = express().get('/exports/:kind', forKeys).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    stopping.abort();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('readers that take nothing', () => {
  /** Two readers of an account that take nothing, the most there may be at a time. @returns what a third is answered */
  async function besideTwoReaders(stalledAfterMs: number): Promise<() => Promise<number>> {
    const { key, id: accountId } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    // More than the buffers of a connection hold.
    await copyPost(accountId, 999, `repeat('x', 20000)`);
    const url = await exportsServer(key, stalledAfterMs);
    const begin = () =>
      new Promise((resolve, reject) => get(`${url}/exports/posts`, resolve).on('error', reject).on('close', resolve));
    await Promise.all([begin(), begin()]);
    return async () => {
      const response = await fetch(`${url}/exports/connections`);
      await response.arrayBuffer();
      return response.status;
    };
  }

  it('keep their places until the limit', async () => {
    const third = await besideTwoReaders(60_000);

    expect(await third()).toBe(403);
  });

  it('lose them to others of the account after it', async () => {
    const third = await besideTwoReaders(300);

    await expect.poll(third).toBe(200);
  });

  it('are not readers that wait for a slow database', async () => {
    const { key } = await fullAccount();
    const url = await exportsServer(key, 1);

    const response = await fetch(`${url}/exports/archive`);

    const files = readZip(Buffer.from(await response.arrayBuffer()));
    expect([...files.keys()]).toHaveLength(KINDS.length + 2);
  });
});

describe('access', () => {
  /** Rows for each of KEYS: all of the account, A's, B's, in test mode those to sandboxes, or a refusal. */
  it('gives each key what the lists give it', async () => {
    const tenant = await makeTenant(world);
    await tenant.post('A');
    await tenant.post('own');
    await tenant.bluesky();
    await tenant.webhook('live');
    await tenant.webhook('testA');
    await tenant.image('A');
    // One after the other: an account reads two exports at a time.
    const count = async (kind: string) => {
      const counts: (number | string)[] = [];
      for (const name of KEYS) {
        const { status, bytes } = await world.rest(`GET /exports/${kind}`, { key: tenant.secrets[name] });
        counts.push(status === 200 ? bytes.toString().split('\n').filter(Boolean).length : `${status}`);
      }
      return counts;
    };

    expect(await count('posts')).toEqual([2, 1, 0, 2, 1, 0, '401', '401']);
    expect(await count('connections')).toEqual([3, 2, 0, 2, 1, 0, '401', '401']);
    expect(await count('queues')).toEqual([3, 2, 0, 2, 1, 0, '401', '401']);
    expect(await count('webhooks')).toEqual([2, 1, 0, 1, 1, 0, '401', '401']);
    expect(await count('media')).toEqual([1, 1, 0, 1, 1, 0, '401', '401']);
    expect(await count('profiles')).toEqual([2, 1, 1, 2, 1, 0, '401', '401']);
    const [live, ...others] = await count('audit');
    expect(live).toBeGreaterThan(3);
    expect(others).toEqual(['403', '403', '403', '403', expect.any(Number), '401', '401']);
  });

  it('needs the scope of the kind', async () => {
    const { key, id: accountId } = await accountWithSandbox(world);
    const { id, secret } = await world.key({ accountId });
    await world.sql(`update api_keys set scopes = '{posts:read}' where id = $1`, [id]);

    expect((await world.rest('GET /exports/posts', { key: secret })).status).toBe(200);
    expect((await world.rest('GET /exports/webhooks', { key: secret })).body).toEqual(
      refusal(
        'forbidden',
        'This key or access token lacks webhooks:read. Use one that has it, or ask the owner to grant it.',
      ),
    );
    expect(await exported('connections', key)).toHaveLength(1);
  });

  it.each([
    ['GET /exports/keys', 404, 'not_found', /^There is no export "keys"; the exports are posts, metrics,/],
    ['GET /exports/posts?format=xml', 400, 'invalid_request', /^format: expected one of ndjson, csv\.$/],
    ['GET /exports/posts?after=1', 400, 'invalid_request', /^after: expected the id/],
    ['POST /exports/posts', 405, 'method_not_allowed', /it has GET\.$/],
  ] as const)('%s is refused', async (call, status, code, message) => {
    const answer = await world.rest(call, call.startsWith('POST') ? { body: {} } : {});

    expect([answer.status, answer.body]).toEqual([status, refusal(code, expect.stringMatching(message))]);
  });

  it('answers HEAD without a body', async () => {
    await connectSandbox(world, { slug: 'head' });

    const { status, bytes, headers } = await world.rest('HEAD /exports/connections');

    expect([status, bytes.length, headers.get('content-type')]).toEqual([
      200,
      0,
      'application/x-ndjson; charset=utf-8',
    ]);
  });
});
