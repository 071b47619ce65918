/**
 * Text from a platform is untrusted on success too (docs/contract/platforms.md#what-platforms-send). One check covers
 * every adapter.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { AnyPlatform, Published, SendPart, Session } from '../../platforms/contract.ts';
import { gatePlatform } from '../../platforms/gate.ts';
import { PLATFORM_IDS, platformOf } from '../../platforms/registry.ts';
import { type ScriptedAnswer, scriptNetwork } from '../harness/scripted-network.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld } from '../harness/world.ts';
import { testIo } from '../platforms/harness.ts';
import { startMastodonServer } from '../platforms/servers/mastodon.ts';

const server = await startMastodonServer({ now: () => START });
afterAll(() => server.close());
const world = await startWorld({ env: server.env });
const network = scriptNetwork(world);

const NUL = '\u0000';
const BIDI = '\u202e\u2066\u200f';
const ZERO_WIDTH = '\u200b\u200d\u2060\ufeff\u{e0041}\ufe0f';

let profileId = '';

beforeEach(async () => {
  network.script = null;
  profileId = (await world.profile()).id;
});

/** Answers calls of one kind; the others go to the server. */
function answer(method: string, path: RegExp, json: unknown, status = 200): void {
  network.script = (url, init): ScriptedAnswer | undefined =>
    (init.method ?? 'GET') === method && path.test(url.pathname) ? { status, json } : undefined;
}

const connect = () =>
  world.rest('POST /connections', {
    body: { platformId: 'mastodon', credentials: server.credentials, profileId },
  });

const account = (fields: object) =>
  answer('GET', /verify_credentials$/, { id: '1', username: 'alice', acct: 'alice', ...fields });

async function post(status: object) {
  const { slug } = (await connect()).body.connection;
  answer('POST', /\/statuses$/, { id: '7', url: 'https://bells.example/@alice/7', ...status });
  const body = { text: 'hello', connectionSlugs: [slug], profileId };
  return (await world.rest('POST /posts', { body })).body.results[0];
}

describe('a permalink', () => {
  it.for([
    ['of three megabytes', `https://bells.example/${'a'.repeat(3_000_000)}`],
    ['of one character too many', `https://bells.example/${'a'.repeat(2_027)}`],
    ['that runs a script', 'javascript:alert(1)'],
    ['that is a data document', 'data:text/html,<script>alert(1)</script>'],
    ['with a user name and password', 'https://alice:secret@bells.example/7'],
    ['that is no address', `not an address ${NUL}`],
  ])('%s is null, and the post is sent', async ([, url]) => {
    const result = await post({ url });

    expect([result.status, result.error, result.url]).toEqual(['sent', null, null]);
    const stored = await world.rest(`GET /posts/${result.postId}`);
    expect([stored.body.post.url, stored.body.post.platformPostId]).toEqual([null, '7']);
    expect(stored.bytes.length).toBeLessThan(2_000);
  });

  it('is kept unchanged when it is a web address of at most 2,048 characters', async () => {
    const url = `https://bells.example/${'a'.repeat(2_026)}`;

    expect(await post({ url })).toMatchObject({ status: 'sent', url });
  });

  it('contains no character that displays as another', async () => {
    const result = await post({ url: `https://bells.example/${BIDI}7` });

    expect(result.url).toMatch(/^[\x21-\x7e]+$/);
  });
});

describe('an id of a post', () => {
  it.for([
    ['with a NUL', `7${NUL}`],
    ['with bidi characters', `7${BIDI}`],
    ['of a megabyte', '7'.repeat(1_000_000)],
    ['that is empty', ''],
  ])('%s is not stored: the caller is told to check the platform', async ([, id]) => {
    const { slug } = (await connect()).body.connection;
    network.script = (url) => {
      if (!url.pathname.endsWith('/statuses')) return undefined;
      const status = { id, url: null, content: 'hello', created_at: START.toISOString() };
      return { status: 200, json: url.pathname.includes('/accounts/') ? [status] : status };
    };

    const body = { text: 'hello', connectionSlugs: [slug], profileId };
    const { results } = (await world.rest('POST /posts', { body })).body;

    expect([results[0].status, results[0].error.code]).toEqual(['failed', 'outcome_unknown']);
    const { body: stored } = await world.rest(`GET /posts/${results[0].postId}`);
    expect([stored.post.status, stored.post.platformPostId]).toEqual(['failed', null]);
  });
});

describe('the name of an account', () => {
  it('loses control, bidi and zero-width characters, over REST and over MCP', async () => {
    account({ username: `al${NUL}\u0007i${BIDI}${ZERO_WIDTH}ce` });

    const { status, body } = await connect();

    const { host } = new URL(server.credentials['instanceUrl'] ?? '');
    expect([status, body.connection.description]).toEqual([200, `Mastodon: alice@${host}`]);
    const listed = await world.rest(`GET /connections?profileId=${profileId}`);
    expect(JSON.stringify(listed.body)).toMatch(/^[\x20-\x7e]+$/);
  });

  it.for([
    ['of 300 characters', 'a'.repeat(300)],
    ['of 300 emoji', '🔔'.repeat(300)],
    ['of a million characters', 'a'.repeat(1_000_000)],
  ])('%s is cut to 255 and connects', async ([, username]) => {
    account({ username });

    const { status, body } = await connect();

    expect([status, body.connection.description.isWellFormed()]).toEqual([200, true]);
    const [row] = await world.sql<{ handle: string }>('select handle from connections where id = $1', [
      body.connection.id,
    ]);
    expect([[...(row?.handle ?? '')].length, row?.handle.isWellFormed()]).toEqual([255, true]);
  });

  it.for([
    ['an id with a NUL', { id: `1${NUL}` }],
    ['an id of 300 characters', { id: '1'.repeat(300) }],
    ['an empty id', { id: NUL }],
  ])('with %s is refused with a reason, not a 500', async ([, fields]) => {
    account(fields as object);

    const { status, body } = await connect();

    expect([status, body.error]).toEqual([422, 'platform_rejected']);
    expect(body.message).toContain('an id that is empty, longer than 255 characters or not printable');
  });
});

describe('limits that a server sets for itself', () => {
  const instance = (configuration: object) => {
    network.script = (url) =>
      url.pathname === '/api/v2/instance' ? { status: 200, json: { configuration } } : undefined;
  };

  it('are bounded, so that no text check runs out of memory', async () => {
    instance({
      statuses: { max_characters: 9e15, characters_reserved_per_url: 2 ** 31, max_media_attachments: 1e9 },
      media_attachments: { image_size_limit: 9e15, supported_mime_types: ['image/png', `image/${NUL}`] },
    });

    const { slug, id } = (await connect()).body.connection;
    network.script = null;
    const body = { text: 'see https://example.com/', connectionSlugs: [slug], profileId };
    const { results } = (await world.rest('POST /posts', { body })).body;

    expect(results[0].status).toBe('sent');
    const [row] = await world.sql<{ limits: unknown }>('select limits from connections where id = $1', [id]);
    expect(row?.limits).toEqual({
      text: { maxLength: 1_000_000 },
      images: { max: 20, maxBytes: 104_857_600, types: ['image/png'] },
    });
  });
});

describe('metrics', () => {
  it('are whole numbers from 0 whose sums stay exact, or null', async () => {
    const result = await post({});
    network.script = (url) => {
      if (!/\/statuses(\/7)?$/.test(url.pathname)) return undefined;
      const status = { id: '7', favourites_count: 3, reblogs_count: -1, replies_count: Number.MAX_SAFE_INTEGER };
      return { status: 200, json: url.pathname.endsWith('/7') ? status : [status] };
    };

    await world.advance(3_600_000);

    const { body } = await world.rest(`GET /posts/${result.postId}/metrics`);
    expect(body.latest).toMatchObject({ likes: 3, reposts: null, replies: null });
    expect((await world.rest('GET /analytics')).body.totals).toMatchObject({ replies: 0 });
  });
});

describe('the text of a refusal', () => {
  it('is cut to 255 characters and loses invisible ones', async () => {
    const { slug } = (await connect()).body.connection;
    answer('POST', /\/statuses$/, { error: `no${NUL}${BIDI}${ZERO_WIDTH}pe ${'🔔'.repeat(1_000)}` }, 422);
    const body = { text: 'hello', connectionSlugs: [slug], profileId };

    const { error } = (await world.rest('POST /posts', { body })).body.results[0];

    expect(error.message.startsWith('The Mastodon server refused: nope 🔔')).toBe(true);
    expect([[...error.message].length, error.message.isWellFormed()]).toEqual([255, true]);
  });
});

const HOSTILE: Published = {
  platformPostId: '7',
  url: 'javascript:alert(1)',
  ref: { text: 'fine' },
};

const session: Session<unknown> = {
  credential: {},
  platformAccountId: '1',
  handle: 'alice',
  renew: (refresh) => refresh({}, AbortSignal.timeout(10_000)),
};

/** Every platform, with answers that no adapter has checked. */
const hostile = PLATFORM_IDS.map((id): AnyPlatform => {
  const platform = platformOf(world.context.platforms, id);
  const oauth = { isSetUp: () => true, pageSources: () => null };
  return gatePlatform({
    ...platform,
    connectAccount: async () => ({ platformAccountId: '1', handle: `${BIDI}${NUL}`, credential: {} }),
    publish: async () => HOSTILE,
    readBack: async () => ({ ...HOSTILE, ref: { text: NUL } }),
    prepare: async () => ({ id: 'a'.repeat(100_000) }),
    readMetrics: async () => new Map([['7', { likes: 1.5, replies: 2 }]]),
    renewal: {
      canRenew: () => true,
      dueAt: () => new Date(Number.NaN),
      endsAt: () => new Date(Date.UTC(10_000, 0)),
      renew: async () => ({ token: 'a'.repeat(100_000) }),
    },
    hosted: {
      fields: [],
      oauth: {
        ...oauth,
        begin: async () => ({ url: 'javascript:alert(1)', memo: {} }),
        finish: async () => Array.from({ length: 1_500 }, () => ({ label: `${BIDI}Bells${NUL}`, credentials: {} })),
      },
    },
  });
});

describe.for(hostile)('the check around $id', (platform) => {
  const io = testIo(() => START);
  const part: SendPart = { step: 'head', index: 0, text: 'hello', token: 't', startedAt: START, prepared: null };
  const request = { redirectUri: 'https://bells.example/back', state: 's', verifier: 'v' };
  const oauthIo = { ...io, keptApp: () => Promise.reject(new Error('no app')), forgetApp: async () => undefined };

  it('validates each value that an adapter returns', async () => {
    const page = platform.hosted?.oauth;

    expect(await platform.publish(session, part, io)).toEqual({ ...HOSTILE, url: null });
    await expect(platform.readBack?.(session, part, io)).rejects.toMatchObject({ kind: 'unknown' });
    await expect(platform.prepare?.(session, [], io)).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(platform.connectAccount({}, io)).rejects.toMatchObject({ kind: 'rejected' });
    await expect(platform.renewal?.renew({}, io)).rejects.toMatchObject({ kind: 'unavailable' });
    expect([platform.renewal?.dueAt({}), platform.renewal?.endsAt({})]).toEqual([null, null]);
    const asked = [{ platformPostId: '7', sentAt: START }];
    expect(await platform.readMetrics?.(session, asked, io)).toEqual(new Map([['7', { replies: 2 }]]));
    await expect(page?.begin({}, request, oauthIo)).rejects.toMatchObject({ kind: 'rejected' });
    const accounts = await page?.finish(new URLSearchParams(), request, {}, oauthIo);
    expect([accounts?.length, accounts?.[0]?.label]).toEqual([1_000, 'Bells']);
  });
});
