/** The metrics of posts, as each platform reports them. */
import { afterEach, describe, expect, it } from 'vitest';
import { bluesky } from '../../platforms/bluesky/index.ts';
import type { AnyPlatform, MetricsReading, PlatformIo, PostMetrics, Session } from '../../platforms/contract.ts';
import { gatePlatform } from '../../platforms/gate.ts';
import { linkedin } from '../../platforms/linkedin/index.ts';
import { mastodon } from '../../platforms/mastodon/index.ts';
import { metricsAt } from '../../platforms/sandbox/metrics.ts';
import { x } from '../../platforms/x/index.ts';
import { startFakeBluesky } from './fakes/fake-bluesky.ts';
import { startFakeLinkedIn } from './fakes/fake-linkedin.ts';
import { startFakeMastodon } from './fakes/fake-mastodon.ts';
import { startFakeX } from './fakes/fake-x.ts';
import { failureOf, headPart, sessionOf, StoppedClock, testIo } from './harness.ts';

const clock = new StoppedClock();
const now = clock.now;
const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

function keep<Server extends { close(): Promise<void> }>(server: Server): Server {
  open.push(server);
  return server;
}

interface Account {
  readonly session: Session<unknown>;
  readonly io: PlatformIo;
  /** Publishes a post and returns its id. */
  readonly post: () => Promise<string>;
}

async function accountOf(platform: AnyPlatform, credentials: unknown, io: PlatformIo): Promise<Account> {
  const session = sessionOf(await platform.connectAccount(platform.credentials.parse(credentials), io));
  let made = 0;
  const post = async () => {
    made += 1;
    const token = platform.makeToken?.(new Date(now().getTime() + made), `seed ${made}`) ?? `token-${made}`;
    return (await platform.publish(session, headPart(`Ding ${made}`, token, now()), io)).platformPostId;
  };
  return { session, io, post };
}

/** @param previous what the newest read of each post gave */
function read(
  platform: AnyPlatform,
  { session, io }: Account,
  ids: readonly string[],
  previous: PostMetrics = {},
): Promise<MetricsReading> {
  const posts = ids.map((platformPostId) => ({ platformPostId, sentAt: now(), previous }));
  return platform.readMetrics?.(session, posts, io) ?? Promise.reject(new Error('no readMetrics'));
}

async function onBluesky() {
  const server = keep(await startFakeBluesky({ now }));
  server.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  const io = testIo(now, { BLUESKY_SERVICE_URL: server.url, BLUESKY_APPVIEW_URL: server.url });
  const account = await accountOf(bluesky, { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' }, io);
  return { server, account };
}

async function onMastodon(listsStatuses = true) {
  const server = keep(await startFakeMastodon({ now, listsStatuses }));
  server.addAccount('alice', 'token-of-alice');
  const credentials = { instanceUrl: server.url, accessToken: 'token-of-alice' };
  return { server, account: await accountOf(mastodon, credentials, testIo(now)) };
}

async function onX() {
  const server = keep(await startFakeX({ now }));
  server.addAccount('alice', 'token-of-alice');
  const account = await accountOf(x, { accessToken: 'token-of-alice' }, testIo(now, { X_API_URL: server.url }));
  return { server, account };
}

async function onLinkedIn(organizationId?: string) {
  const server = keep(await startFakeLinkedIn({ now }));
  server.addMember('a1B2', 'Alice', 'token-of-alice').roles.set('2414183', 'ADMINISTRATOR');
  server.addPage('2414183', 'The Bells', 'the-bells');
  const credentials = { accessToken: 'token-of-alice', ...(organizationId !== undefined && { organizationId }) };
  const account = await accountOf(linkedin, credentials, testIo(now, { LINKEDIN_API_URL: server.url }));
  return { server, account };
}

describe('Bluesky', () => {
  it('counts quotes as reposts, and detects a deleted post, without a credential', async () => {
    const { server, account } = await onBluesky();
    const uri = await account.post();
    server.numbers.set(uri, { likeCount: 7, repostCount: 2, quoteCount: 3, replyCount: 4 });
    server.expireAccessTokens();
    server.dropRefreshTokens();

    const gone = 'at://did:plc:alice/app.bsky.feed.post/gone';
    const reading = await read(bluesky, account, [uri, gone], { likes: 1 });

    expect([...reading]).toEqual([
      [uri, { likes: 7, reposts: 5, replies: 4 }],
      [gone, 'gone'],
    ]);
  });

  it('does not take a post for gone that the network has not shown before: it may show it later', async () => {
    const { account } = await onBluesky();

    const reading = await read(bluesky, account, ['at://did:plc:alice/app.bsky.feed.post/late']);

    expect([...reading]).toEqual([]);
  });

  it('requests as many posts at once as the server accepts', async () => {
    const { server, account } = await onBluesky();
    const uris = await Promise.all(Array.from({ length: bluesky.metricsBatch?.max ?? 0 }, () => account.post()));

    expect((await read(bluesky, account, uris)).size).toBe(25);
    expect(server.calls['app.bsky.feed.getPosts']).toBe(1);
  });

  it('waits for the time that a refusal requests', async () => {
    const { server, account } = await onBluesky();
    const reset = String(now().getTime() / 1000 + 240);
    server.answers['app.bsky.feed.getPosts'] = [
      { status: 429, json: { error: 'RateLimitExceeded' }, headers: { 'ratelimit-reset': reset } },
    ];

    await expect(read(bluesky, account, ['at://x'])).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs: 240_000,
    });
  });
});

describe('Mastodon', () => {
  const NUMBERS = { favourites_count: 7, reblogs_count: 2, replies_count: 4 };

  it.each([
    ['together', true, 1, 1],
    ['one by one where the server has no list', false, 1, 3],
  ])('reads statuses %s', async (_how, lists, together, singly) => {
    const { server, account } = await onMastodon(lists);
    const ids = [await account.post(), await account.post()];
    server.numbers.set(ids[0] ?? '', NUMBERS);

    const reading = await read(mastodon, account, [...ids, '999']);

    expect(reading).toEqual(
      new Map<string, unknown>([
        [ids[0] ?? '', { likes: 7, reposts: 2, replies: 4 }],
        [ids[1] ?? '', { likes: 0, reposts: 0, replies: 0 }],
        ['999', 'gone'],
      ]),
    );
    expect(server.calls['GET /api/v1/statuses']).toBe(together);
    expect(server.calls['GET /api/v1/statuses/:id']).toBe(singly);
  });

  it.each([404, 410])('does not take a status for gone when a proxy answers a web page with %i', async (status) => {
    const { server, account } = await onMastodon();
    const id = await account.post();
    const page = [{ status, text: '<html>Maintenance</html>' }];
    Object.assign(server.answers, { 'GET /api/v1/statuses/:id': [...page], 'GET /api/v1/instance': page });

    expect((await failureOf(read(mastodon, account, [id]))).kind).toBe('unknown');
    expect((await read(mastodon, account, [id])).get(id)).toEqual({ likes: 0, reposts: 0, replies: 0 });
  });

  it('takes a status for gone that the server itself says so about with web pages', async () => {
    const { server, account } = await onMastodon();
    const id = await account.post();
    const page = { status: 404, text: '<h1>404 Not Found</h1>' };
    server.answers['GET /api/v1/statuses/:id'] = [page, page];

    expect((await read(mastodon, account, [id])).get(id)).toBe('gone');
  });

  it('waits until the instant that a refusal names', async () => {
    const { server, account } = await onMastodon();
    const reset = new Date(now().getTime() + 180_000).toISOString();
    server.answers['GET /api/v1/statuses'] = [
      { status: 429, json: { error: 'Too many requests' }, headers: { 'x-ratelimit-reset': reset } },
    ];

    await expect(read(mastodon, account, ['1', '2'])).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfterMs: 180_000,
    });
  });
});

describe('X', () => {
  it.each(['retweet_count', 'repost_count'] as const)(
    'reads reposts under either name that X documents: %s',
    async (name) => {
      const { server, account } = await onX();
      const id = await account.post();
      server.numbers.set(id, { impression_count: 900, like_count: 7, [name]: 2, reply_count: 4 });

      const reading = await read(x, account, [id]);

      expect(reading.get(id)).toEqual({ impressions: 900, likes: 7, reposts: 2, replies: 4 });
    },
  );

  it('reads a hundred posts in one call, without counting quotes as reposts, and detects deleted ones', async () => {
    const { server, account } = await onX();
    const id = await account.post();
    server.numbers.set(id, {
      impression_count: 900,
      like_count: 7,
      retweet_count: 2,
      quote_count: 50,
      reply_count: 4,
      bookmark_count: 60,
    });
    const gone = Array.from({ length: 99 }, (_, index) => `20${index}`);

    const reading = await read(x, account, [id, ...gone]);

    expect(reading.get(id)).toEqual({ impressions: 900, likes: 7, reposts: 2, replies: 4 });
    expect(gone.map((one) => reading.get(one))).toEqual(gone.map(() => 'gone'));
    expect(server.calls['GET /2/tweets']).toBe(1);
  });

  it('reports an invalid credential, and waits until the second that a refusal names', async () => {
    const { server, account } = await onX();
    const reset = String(now().getTime() / 1000 + 900);
    server.answers['GET /2/tweets'] = [
      { status: 429, json: { title: 'Too Many Requests' }, headers: { 'x-rate-limit-reset': reset } },
      { status: 401, json: { title: 'Unauthorized', status: 401, detail: 'Unauthorized' } },
    ];

    await expect(read(x, account, ['1'])).rejects.toMatchObject({ kind: 'unavailable', retryAfterMs: 900_000 });
    expect(await failureOf(read(x, account, ['1']))).toMatchObject({ kind: 'reconnect' });
  });
});

describe('LinkedIn', () => {
  const NUMBERS = { impressionCount: 900, likeCount: 7, commentCount: 4, clickCount: 30, shareCount: 50 };

  it('reads a page’s shares and posts with images in separate lists; unseen posts are not reported', async () => {
    const { server, account } = await onLinkedIn('2414183');
    const share = await account.post();
    server.numbers.set(share, NUMBERS);
    server.numbers.set('urn:li:ugcPost:5', { ...NUMBERS, likeCount: 8 });

    const reading = await read(linkedin, account, [share, 'urn:li:share:6', 'urn:li:ugcPost:5']);

    expect(reading).toEqual(
      new Map([
        [share, { impressions: 900, likes: 7, replies: 4, clicks: 30 }],
        ['urn:li:share:6', {}],
        ['urn:li:ugcPost:5', { impressions: 900, likes: 8, replies: 4, clicks: 30 }],
      ]),
    );
    expect(server.calls['GET /rest/organizationalEntityShareStatistics']).toBe(2);
  });

  it('reads likes and comments of a member, and nothing without permission', async () => {
    const { server, account } = await onLinkedIn();
    const share = await account.post();
    server.numbers.set(share, NUMBERS);

    const open_ = await read(linkedin, account, [share, 'urn:li:share:6']);
    server.closed.add('a1B2');
    const closed = await read(linkedin, account, [share]);

    expect(open_).toEqual(new Map([[share, { likes: 7, replies: 4 }]]));
    expect(closed).toEqual(new Map([[share, {}]]));
  });

  it('leaves out a page’s post that it no longer lists, and one of which it withholds the metrics', async () => {
    const { server, account } = await onLinkedIn('2414183');
    const [listed, deleted] = [await account.post(), await account.post()];
    const before = { impressions: 900, likes: 7 };
    server.numbers.set(listed, NUMBERS);

    const reading = await read(gatePlatform(linkedin), account, [listed, deleted], before);
    server.answers['GET /rest/organizationalEntityShareStatistics'] = [
      { status: 403, json: { message: 'Not enough' } },
    ];
    const withheld = await read(gatePlatform(linkedin), account, [listed, deleted], before);

    expect(reading).toEqual(new Map([[listed, { impressions: 900, likes: 7, replies: 4, clicks: 30 }]]));
    expect(withheld).toEqual(new Map());
  });

  it('leaves out a member’s post of which it withholds the metrics that it has reported before', async () => {
    const { server, account } = await onLinkedIn();
    const share = await account.post();
    server.closed.add('a1B2');

    expect(await read(gatePlatform(linkedin), account, [share], { likes: 7 })).toEqual(new Map());
  });
});

describe('LinkedIn behind a proxy', () => {
  it.each([
    { whose: 'a member', status: 403 },
    { whose: 'a member', status: 404 },
    { whose: 'a page', organizationId: '2414183', status: 403 },
  ])('reads no metrics of $whose from a web page with $status', async ({ organizationId, status }) => {
    const { server, account } = await onLinkedIn(organizationId);
    const share = await account.post();
    const page = [{ status, text: '<html>Maintenance</html>' }];
    server.answers['GET /rest/organizationalEntityShareStatistics'] = page;
    server.answers['GET /rest/socialActions/:id'] = page;

    expect((await failureOf(read(linkedin, account, [share]))).kind).toBe('unknown');
  });
});

describe('the sandbox', () => {
  it('follows a fixed curve that never falls', () => {
    const at = (hours: number) => metricsAt(now(), new Date(now().getTime() + hours * 3_600_000));

    expect([at(0), at(1), at(24), at(24 * 30)]).toEqual([
      { likes: 0, reposts: 0, replies: 0 },
      { likes: 4, reposts: 0, replies: 0 },
      { likes: 60, reposts: 12, replies: 6 },
      { likes: 116, reposts: 28, replies: 16 },
    ]);
  });
});
