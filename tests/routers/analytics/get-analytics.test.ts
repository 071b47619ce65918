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

const NOTHING = { posts: 0, impressions: null, likes: 0, reposts: 0, replies: 0, clicks: 0 };

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
    expect(early.body.totals).toEqual({ ...NOTHING, posts: 2, readPosts: 2, likes: 8 });
    const totals = { ...NOTHING, posts: 2, likes: 122, reposts: 24, replies: 12 };
    expect([status, body]).toEqual([
      200,
      {
        totals: { ...totals, readPosts: 2 },
        days: [
          { day: sentOn, ...totals },
          { day: today(), ...NOTHING },
        ],
        byPlatform: [{ platformId: 'sandbox', ...totals }],
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
    expect(atOnce.body.totals).toEqual({ ...NOTHING, posts: 1, readPosts: 0 });
    expect(later.body).toEqual(atOnce.body);
  });

  it('adds posts of the last minutes to those of the same day that it has counted', async () => {
    world.clock.set(new Date('2027-01-10T12:00:00Z'));
    const { key, connection } = await accountWithSandbox(world);
    await makePost(world, connection.slug, { key });
    await world.advance(HOUR);
    await makePost(world, connection.slug, { key });

    const { body } = await analytics(key, `?from=${ago(1)}`);

    const both = { ...NOTHING, posts: 2, likes: 4 };
    expect(body).toEqual({
      totals: { ...both, readPosts: 1 },
      days: [
        { day: ago(1), ...NOTHING },
        { day: today(), ...both },
      ],
      byPlatform: [{ platformId: 'sandbox', ...both }],
      from: ago(1),
      to: today(),
    });
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

describe('200 by tag', () => {
  it('adds up the posts of each tag, and with a filter only those that have all of its tags', async () => {
    const { key, connection } = await accountWithSandbox(world);
    await makePost(world, connection.slug, { key, tags: ['launch', 'news'] });
    await makePost(world, connection.slug, { key, tags: ['news'] });
    await makePost(world, connection.slug, { key });
    await world.advance(HOUR);

    const all = await analytics(key, '?include=tags');
    const tagged = await analytics(key, '?tag=NEWS&include=tags');
    const both = await analytics(key, '?tag=news&tag=launch');

    const news = { ...NOTHING, posts: 2, readPosts: 2, likes: 8 };
    const launch = { ...NOTHING, posts: 1, readPosts: 1, likes: 4 };
    expect(all.body.byTag).toEqual([
      { tag: 'news', ...news },
      { tag: 'launch', ...launch },
    ]);
    expect(all.body.sample).toEqual({ posts: 3, max: 10_000, isWhole: true });
    expect(all.body.totals.posts).toBe(3);
    expect(tagged.body).toMatchObject({
      totals: news,
      byTag: [news, launch],
      byPlatform: [{ posts: 2, likes: 8 }],
      sample: { posts: 2, max: 10_000, isWhole: true },
    });
    expect(tagged.body.days.at(-1)).toMatchObject({ day: today(), posts: 2, likes: 8 });
    expect(both.body.totals).toEqual(launch);
  });

  it('counts a sample of exactly as many posts as it takes as whole', async () => {
    const { key, id: accountId, connection } = await accountWithSandbox(world);
    await makePost(world, connection.slug, { key });
    await world.advance(HOUR);
    const stored = async (posts: number) => {
      await world.sql('update daily_numbers set posts = $1 where account_id = $2', [posts, accountId]);
      return (await analytics(key, '?include=tags')).body.sample;
    };

    expect([await stored(10_000), await stored(10_001)]).toEqual([
      { posts: 1, max: 10_000, isWhole: true },
      { posts: 1, max: 10_000, isWhole: false },
    ]);
  });

  it('counts only posts of the window that the key reaches', async () => {
    const { key, connection, id: accountId } = await accountWithSandbox(world);
    const other = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const inside = await connectSandbox(world, { key, slug: 'inside', profileId: profile.id });
    const scoped = await world.key({ accountId, profileId: profile.id });
    const test = await world.key({ accountId, type: 'test' });
    const tags = ['news'];
    await makePost(world, connection.slug, { key, tags });
    await makePost(world, connection.slug, { key: test.secret, tags });
    await makePost(world, inside.slug, { key, profileId: profile.id, tags });
    const count = async (secret: string, query: string) => {
      const [tagged, untagged] = await Promise.all([
        analytics(secret, `?tag=news${query}`),
        analytics(secret, `?include=tags${query}`),
      ]);
      return [tagged.body.totals.posts, untagged.body.byTag[0]?.posts ?? 0];
    };

    expect(await count(key, '')).toEqual([2, 2]);
    expect(await count(key, `&profileId=${profile.id}`)).toEqual([1, 1]);
    expect(await count(key, '&connectionSlug=inside&platform=sandbox')).toEqual([1, 1]);
    expect(await count(key, `&to=${ago(1)}`)).toEqual([0, 0]);
    expect(await count(scoped.secret, '')).toEqual([1, 1]);
    expect(await count(test.secret, '')).toEqual([3, 3]);
    expect(await count(other.key, '')).toEqual([0, 0]);
  });
});

describe('200 best times', () => {
  it('compares the hours of the week in a time zone by the median reactions a day after sending', async () => {
    const { key, connection } = await accountWithSandbox(world);
    world.clock.set(new Date('2027-02-01T17:30:00Z'));
    for (let posts = 0; posts < 5; posts += 1) await makePost(world, connection.slug, { key });
    await world.advance(HOUR);
    await makePost(world, connection.slug, { key });
    await world.advance(23 * HOUR);
    await world.advance(HOUR);
    await world.advance(5 * DAY);

    const { body } = await analytics(key, '?include=times&timezone=Asia/Kathmandu');

    // 17:30 in UTC on a Monday is 23:15 in Kathmandu, and 18:30 is Tuesday 00:15.
    const monday = { weekday: 1, hour: 23, posts: 5, medianReactions: expect.any(Number) };
    expect(body.bestTimes).toEqual({
      timezone: 'Asia/Kathmandu',
      posts: 6,
      minPosts: 5,
      best: [monday],
      hours: [monday, { ...monday, weekday: 2, hour: 0, posts: 1 }],
      note: null,
    });
    // The sandbox curve gives 60 likes, 12 reposts and 6 replies after 24 hours.
    expect(body.bestTimes.best[0].medianReactions).toBe(78);
  });

  it('names no best time while there are too few posts, and says so', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const none = await analytics(key, '?include=times');
    await makePost(world, connection.slug, { key });
    await world.advance(2 * DAY);

    const one = await analytics(key, '?include=times');

    expect(none.body.bestTimes).toEqual({
      timezone: 'UTC',
      posts: 0,
      minPosts: 5,
      best: [],
      hours: [],
      note: 'Too few posts: no post of the window has metrics of a day after sending yet.',
    });
    expect(one.body.bestTimes.best).toEqual([]);
    expect(one.body.bestTimes.note).toBe(
      'Too few posts: no hour of the week has 5 posts; the most in one is 1, of 1 in all.',
    );
  });

  it('leaves tags and times out unless they are asked for', async () => {
    const { key } = await accountWithSandbox(world);

    const { body } = await analytics(key);

    expect(Object.keys(body)).toEqual(['totals', 'days', 'byPlatform', 'from', 'to']);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['a day that there is not', '?from=2026-02-30', 'from'],
    ['something else than a day', '?to=yesterday', 'to'],
    ['a window that ends before it begins', '?from=2026-11-02&to=2026-11-01', 'from: 2026-11-02 is after 2026-11-01'],
    ['more than 365 days', '?from=2025-11-01&to=2026-11-01', 'has 366 days; the limit is 365'],
    ['a day of the year 0', '?from=0000-01-01&to=0000-01-31', 'to: 0000-01-31 is before 1970-01-01'],
    ['a window that begins before 1970', '?from=1969-12-31&to=1970-01-05', 'from: 1969-12-31 is before 1970-01-01'],
    ['a platform that there is not', '?platform=fax', 'platform'],
    ['a zone that there is not', '?timezone=Mars/Base', 'is not an IANA time zone'],
    ['a part that there is not', '?include=weather', 'include'],
    ['a malformed profile', '?profileId=acme', 'profileId'],
    [
      'a profile that is not there',
      '?profileId=00000000-0000-7000-8000-000000000000',
      'no profile of yours has the id',
    ],
  ])('for %s', async (_what, query, words) => {
    const { status, body } = await world.rest(`GET /analytics${query}`);

    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.message).toContain(words);
  });

  it('begins the window at 1970 when its end is that early', async () => {
    const { status, body } = await world.rest('GET /analytics?to=1970-01-05');

    expect([status, body.days.length]).toEqual([200, 5]);
  });

  it('accepts 365 days', async () => {
    const { status, body } = await world.rest('GET /analytics?from=2025-11-02&to=2026-11-01');

    expect([status, body.days.length]).toEqual([200, 365]);
  });
});
