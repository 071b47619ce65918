import { afterAll, describe, expect, it } from 'vitest';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const server = await startFakeX({ now: () => world.clock.now() });
const world = await startWorld({ env: { X_API_URL: server.url } });
afterAll(() => server.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const today = () => world.clock.now().toISOString().slice(0, 10);
const ago = (days: number) => new Date(world.clock.now().getTime() - days * DAY).toISOString().slice(0, 10);

const analytics = (key: string, query = '') => world.rest(`GET /analytics${query}`, { key });

const NOTHING = { posts: 0, impressions: null, likes: 0, reposts: 0, replies: 0 };

describe('200', () => {
  it('counts each post once, with its latest metrics, on the day it was published', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const sentOn = today();
    await makePost(world, connection.slug, { key });
    await makePost(world, connection.slug, { key });
    await world.advance(HOUR);
    const early = await analytics(key);
    await world.advance(DAY);

    const { status, body } = await analytics(key, `?from=${sentOn}`);

    // The sandbox curve then gives: 4 likes after an hour, 61 after 25 hours, 12 reposts and 6 replies.
    expect(early.body.totals).toEqual({ ...NOTHING, posts: 2, readPosts: 2, likes: 8, clicks: 0 });
    const totals = { posts: 2, impressions: null, likes: 122, reposts: 24, replies: 12 };
    expect([status, body]).toEqual([
      200,
      {
        totals: { ...totals, readPosts: 2, clicks: 0 },
        days: [
          { day: sentOn, ...totals },
          { day: today(), ...NOTHING },
        ],
        byPlatform: [{ platformId: 'sandbox', ...totals, clicks: 0 }],
        from: sentOn,
        to: today(),
      },
    ]);
  });

  it('counts posts immediately, before their first read, and the same afterwards', async () => {
    const { key, connection } = await accountWithSandbox(world);
    await makePost(world, connection.slug, { key });
    const atOnce = await analytics(key);
    await world.advance(10 * 60_000);
    const [{ counted } = { counted: false }] = await world.sql<{ counted: boolean }>(
      'select counted from posts where connection_id = $1',
      [connection.id],
    );
    const later = await analytics(key);

    expect(counted).toBe(true);
    expect(atOnce.body.totals).toEqual({ ...NOTHING, posts: 1, readPosts: 0, clicks: 0 });
    expect(later.body).toEqual(atOnce.body);
  });

  it('returns the last thirty days without a window, and the thirty days up to `to`', async () => {
    const { key } = await accountWithSandbox(world);

    const { body } = await analytics(key);
    const { body: older } = await analytics(key, `?to=${ago(100)}`);

    expect([body.from, body.to, body.days.length]).toEqual([ago(29), today(), 30]);
    expect([older.from, older.to, older.days.length]).toEqual([ago(129), ago(100), 30]);
    expect(body.days.at(0)).toEqual({ day: ago(29), ...NOTHING });
    expect(body.byPlatform).toEqual([]);
  });

  it('filters by profile, platform or slug, and limits a key to its scope', async () => {
    const { key, connection, id: accountId } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const inside = await connectSandbox(world, { key, slug: 'inside', profileId: profile.id });
    const scoped = await world.key({ accountId, profileId: profile.id });
    const test = await world.key({ accountId, type: 'test' });
    await makePost(world, connection.slug, { key });
    await makePost(world, connection.slug, { key: test.secret });
    await makePost(world, inside.slug, { key, profileId: profile.id });
    const count = async (secret: string, query = '') => (await analytics(secret, query)).body.totals.posts;
    const counts = async () => ({
      live: await count(key),
      profile: await count(key, `?profileId=${profile.id}`),
      slug: await count(key, `?connectionSlug=${connection.slug}`),
      platform: await count(key, '?platform=sandbox'),
      elsewhere: await count(key, '?platform=bluesky'),
      scoped: await count(scoped.secret),
      test: await count(test.secret),
    });

    const atOnce = await counts();
    await world.advance(10 * 60_000);

    // A live key counts what live keys sent. A test key counts everything on the sandbox.
    expect(atOnce).toEqual({ live: 2, profile: 1, slug: 1, platform: 2, elsewhere: 0, scoped: 1, test: 3 });
    expect(await counts()).toEqual(atOnce);
  });

  it('returns impressions if any were reported', async () => {
    const { key, id } = await accountWithSandbox(world);
    await world.sql('update accounts set x_analytics = true where id = $1', [id]);
    server.addAccount('alice', 'token-of-alice');
    await world.rest('POST /connections', {
      key,
      body: { platformId: 'x', credentials: { accessToken: 'token-of-alice' }, slug: 'x' },
    });
    await makePost(world, 'x', { key });
    await makePost(world, 'sandbox', { key });
    const [post] = server.posts();
    const none = { quote_count: 0, bookmark_count: 0, retweet_count: 1, reply_count: 2 };
    server.numbers.set(post?.id ?? '', { ...none, impression_count: 500, like_count: 9 });
    await world.advance(HOUR);

    const { body } = await analytics(key);

    expect(body.totals).toEqual({
      posts: 2,
      readPosts: 2,
      impressions: 500,
      likes: 13,
      reposts: 1,
      replies: 2,
      clicks: 0,
    });
    expect(
      body.byPlatform.map(({ platformId, impressions }: Record<string, unknown>) => [platformId, impressions]),
    ).toEqual([
      ['x', 500],
      ['sandbox', null],
    ]);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['a day that there is not', '?from=2026-02-30', 'from'],
    ['something else than a day', '?to=yesterday', 'to'],
    ['a window that ends before it begins', '?from=2026-11-02&to=2026-11-01', 'from: 2026-11-02 is after 2026-11-01'],
    ['more than 365 days', '?from=2025-11-01&to=2026-11-01', 'has 366 days; the limit is 365'],
    ['a platform that there is not', '?platform=fax', 'platform'],
    ['a malformed profile', '?profileId=acme', 'profileId'],
    ['a profile that is not there', '?profileId=00000000-0000-7000-8000-000000000000', 'is not one of your profiles'],
  ])('for %s', async (_what, query, words) => {
    const { status, body } = await world.rest(`GET /analytics${query}`);

    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.message).toContain(words);
  });

  it('accepts 365 days', async () => {
    const { status, body } = await world.rest('GET /analytics?from=2025-11-02&to=2026-11-01');

    expect([status, body.days.length]).toEqual([200, 365]);
  });
});
