/** Metrics reads: on schedule, once, in batches, and within the limits of the platform and the account. */
import { afterAll, describe, expect, it, vi } from 'vitest';
import { READ_AFTER_MS } from '../../../services/metrics/read-times.ts';
import { readDueMetrics } from '../../../services/metrics/read-due-metrics.ts';
import { makeAccount, type TestAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { eventsAbout, makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const now = () => world.clock.now();
const bluesky = await startFakeBluesky({ now });
const xServer = await startFakeX({ now });
const world = await startWorld({
  env: {
    BLUESKY_SERVICE_URL: bluesky.url,
    BLUESKY_APPVIEW_URL: bluesky.url,
    X_API_URL: xServer.url,
    X_READ_FEE_CENTS: '2',
    X_LINK_POST_FEE_CENTS: '2',
  },
});
afterAll(() => Promise.all([bluesky.close(), xServer.close()]));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const never = new AbortController().signal;

interface Read {
  readonly fetchedAt: string;
  readonly likes: number | null;
}

async function metricsOf(postId: string, key: string): Promise<{ latest: Read | null; history: Read[] }> {
  const { body } = await world.rest(`GET /posts/${postId}/metrics`, { key });
  return body;
}

const readsOf = async (postId: string, key: string) => (await metricsOf(postId, key)).history.length;

/** Stops further reads of the posts of earlier tests. */
const alone = () => world.sql('update posts set next_read_at = null where next_read_at is not null');

let names = 0;

async function onBluesky(account?: TestAccount): Promise<TestAccount & { slug: string }> {
  names += 1;
  bluesky.addAccount(`bell${names}.test`, 'abcd-efgh-ijkl-mnop');
  const owner = account ?? (await makeAccount(world));
  const credentials = { identifier: `bell${names}.test`, appPassword: 'abcd-efgh-ijkl-mnop' };
  const { body } = await world.rest('POST /connections', {
    key: owner.key,
    body: { platformId: 'bluesky', credentials },
  });
  return { ...owner, slug: body.connection.slug };
}

async function onX(settings: { analytics?: boolean; plan?: string; pays?: boolean; cap?: number | null } = {}) {
  const { analytics = true, plan = 'pro', pays = true, cap = null } = settings;
  names += 1;
  const login = xServer.addAccount(`bell${names}`, `token-${names}`);
  const account = await makeAccount(world);
  await world.sql(
    'update accounts set x_analytics = $2, plan = $3, has_payment_method = $4, x_spend_cap_cents = $5 where id = $1',
    [account.id, analytics, plan, pays, cap],
  );
  await world.rest('POST /connections', {
    key: account.key,
    body: { platformId: 'x', credentials: { accessToken: `token-${names}` }, slug: 'x' },
  });
  return { ...account, login };
}

const chargesOf = (account: TestAccount) =>
  world.sql<{ number: number; cents: number }>(
    `select number, cents from charges where account_id = $1 and kind = 'read' order by number`,
    [account.id],
  );

/** A context whose calls wait for `answer`, and a promise of the first one. */
function holdFetch() {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const { fetch } = world.context;
  const slow: typeof fetch = async (url, init) => {
    asked.resolve();
    await answered.promise;
    return fetch(url, init);
  };
  return { context: { ...world.context, fetch: slow }, asked: asked.promise, answer: answered.resolve };
}

const askedX = () => xServer.calls['GET /2/tweets'] ?? 0;
const askedBluesky = () => bluesky.calls['app.bsky.feed.getPosts'] ?? 0;

describe('the schedule', () => {
  it('reads a post 78 times in total, and emits an event for the first read of each UTC day', async () => {
    const manual = await startWorld({ clock: 'manual' });
    const { postId } = await makePost(manual, manual.sandboxSlug);
    const sentAt = manual.clock.now().getTime();
    const before = await manual.rest(`GET /posts/${postId}/metrics`);

    await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 28 * 86_400 } });
    // Events are stored for a month.
    const events = (await eventsAbout(manual, postId)).filter(({ name }) => name === 'post.metrics');
    await manual.rest('POST /simulation/clock', { body: { advanceSeconds: 4 * 86_400 } });

    const { body } = await manual.rest(`GET /posts/${postId}/metrics`);
    const { latest, history } = body as { latest: Read; history: Read[] };
    const ages = history.map(({ fetchedAt }) => Date.parse(fetchedAt) - sentAt);
    const days = new Set(history.map(({ fetchedAt }) => fetchedAt.slice(0, 10)));
    const eventDays = events.map(({ payload }) => (payload as { metrics: Read }).metrics.fetchedAt.slice(0, 10));

    expect(before.body).toEqual({ latest: null, history: [] });
    expect(ages).toEqual(READ_AFTER_MS);
    expect(history[0]).toEqual({
      fetchedAt: new Date(sentAt + HOUR).toISOString(),
      impressions: null,
      likes: 4,
      reposts: 0,
      replies: 0,
      clicks: null,
    });
    expect(latest).toEqual(history.at(-1));
    expect(eventDays).toEqual([...days].slice(0, 28));
    expect(events[0]?.payload).toEqual({
      post: {
        id: postId,
        connectionSlug: manual.sandboxSlug,
        platformId: 'sandbox',
        url: expect.stringContaining('/sandbox/'),
        profileId: null,
      },
      metrics: history[0],
    });
  });

  it('replaces missed reads with one read, and keeps its times', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, connection.slug, { key });
    const sentAt = now().getTime();
    await world.advance(20 * HOUR + 30 * MINUTE);
    const after = await readsOf(postId, key);
    await world.advance(30 * MINUTE);

    const { history } = await metricsOf(postId, key);

    expect(after).toBe(1);
    expect(history.map(({ fetchedAt }) => Date.parse(fetchedAt) - sentAt)).toEqual([20.5 * HOUR, 21 * HOUR]);
  });

  it('runs each read once with concurrent workers', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const posts = await Promise.all(Array.from({ length: 30 }, () => makePost(world, connection.slug, { key })));
    world.clock.advance(HOUR);

    await Promise.all(Array.from({ length: 4 }, () => readDueMetrics(world.context, never)));

    const reads = await Promise.all(posts.map(({ postId }) => readsOf(postId, key)));
    expect(reads).toEqual(posts.map(() => 1));
  });

  it('goes on for all posts when the clock is set back during a read', async () => {
    await alone();
    const account = await onBluesky();
    const { slug, key } = account;
    const { postId } = await makePost(world, slug, { key, text: `Back ${names}` });
    world.clock.advance(5 * MINUTE);
    const other = await makePost(world, slug, { key, text: `Other ${names}` });
    await world.advance(55 * MINUTE);
    const back = now();
    world.clock.advance(HOUR);
    const { fetch } = world.context;
    const unavailable: typeof fetch = async () => {
      world.clock.set(back);
      return Response.json({}, { status: 503 });
    };
    await readDueMetrics({ ...world.context, fetch: unavailable }, never);

    await world.advance(5 * MINUTE);

    // The first read of the post is stored already.
    expect([await readsOf(postId, key), await readsOf(other.postId, key)]).toEqual([1, 1]);
    await world.advance(55 * MINUTE);
    expect([await readsOf(postId, key), await readsOf(other.postId, key)]).toEqual([2, 1]);
  });

  it('stores nothing for a worker that continues after its lease', async () => {
    const { key, slug } = await onBluesky();
    const { postId } = await makePost(world, slug, { key });
    world.clock.advance(HOUR);
    const [before] = await world.sql<{ at: string }>('select next_read_at as at from posts where id = $1', [postId]);
    await world.runDue();
    await world.sql(`update posts set next_read_at = $2 where id = $1`, [postId, before?.at]);

    // The same read again, as if the first worker had died before it could settle it.
    await world.sql('delete from metrics_reads where post_id = $1', [postId]);
    await world.runDue();

    expect(await readsOf(postId, key)).toBe(1);
  });
});

describe('posts that are no longer read', () => {
  it('are those deleted here or on their platform, and those whose connection was deleted', async () => {
    const { key, connection, ...account } = await accountWithSandbox(world);
    const lost = await connectSandbox(world, { key, slug: 'lost' });
    const own = await onBluesky({ ...account, key });
    const deleted = await makePost(world, connection.slug, { key });
    const disconnected = await makePost(world, lost.slug, { key });
    const vanished = await makePost(world, own.slug, { key });
    await world.rest(`DELETE /posts/${deleted.postId}`, { key });
    await world.rest(`DELETE /connections/${lost.id}`, { key });
    const { body } = await world.rest(`GET /posts/${vanished.postId}`, { key });
    await world.advance(HOUR);
    const asked = askedBluesky();
    bluesky.answers['app.bsky.feed.getPosts'] = [{ status: 200, json: { posts: [] } }];
    for (let hour = 1; hour <= 3; hour += 1) await world.advance(HOUR);

    const posts = [deleted, disconnected, vanished];
    const reads = await Promise.all(posts.map(({ postId }) => readsOf(postId, key)));
    const due = await world.sql('select 1 from posts where next_read_at is not null and id = any($1)', [
      posts.map(({ postId }) => postId),
    ]);

    expect(body.post.status).toBe('sent');
    expect(reads).toEqual([0, 0, 1]);
    expect(due).toEqual([]);
    expect(askedBluesky() - asked).toBeLessThanOrEqual(3);
  });
});

describe('a platform', () => {
  it('gets one call for the posts of many accounts', async () => {
    await alone();
    const owners = [await onBluesky(), await onBluesky(), await onBluesky()];
    const posts = await Promise.all(owners.map(({ slug, key }) => makePost(world, slug, { key })));
    const asked = askedBluesky();
    await world.advance(HOUR);

    const reads = await Promise.all(posts.map(({ postId }, index) => readsOf(postId, owners[index]?.key ?? '')));

    expect(reads).toEqual([1, 1, 1]);
    expect(askedBluesky() - asked).toBe(1);
  });

  it('gets no calls for the time it asks to wait, and its posts are read afterwards', async () => {
    await alone();
    const { key, slug } = await onBluesky();
    const { postId } = await makePost(world, slug, { key });
    const refusal = { status: 429, json: { error: 'RateLimitExceeded' }, headers: { 'retry-after': '600' } };
    bluesky.answers['app.bsky.feed.getPosts'] = [refusal];
    const asked = askedBluesky();
    await world.advance(HOUR);
    const other = await onBluesky();
    const second = await makePost(world, other.slug, { key: other.key });
    await world.sql('update posts set next_read_at = $2 where id = $1', [second.postId, now()]);
    await world.advance(9 * MINUTE);
    const meanwhile = askedBluesky() - asked;
    await world.advance(MINUTE);

    expect(meanwhile).toBe(1);
    expect(await readsOf(postId, key)).toBe(1);
    expect(askedBluesky() - asked).toBe(2);
  });

  it('loses no read to an outage, and a post that it refuses does not block the others', async () => {
    await alone();
    const { key, slug } = await onBluesky();
    const posts = [await makePost(world, slug, { key }), await makePost(world, slug, { key })];
    const invalid = { status: 400, json: { error: 'InvalidRequest', message: 'Error: uris must be valid' } };
    bluesky.answers['app.bsky.feed.getPosts'] = [{ status: 502, text: '<h1>Bad Gateway</h1>' }, invalid, invalid];
    await world.advance(HOUR);
    const during = await Promise.all(posts.map(({ postId }) => readsOf(postId, key)));
    await world.advance(5 * MINUTE);

    // Both together are refused, then the first one alone.
    expect(during).toEqual([0, 0]);
    expect(await Promise.all(posts.map(({ postId }) => readsOf(postId, key)))).toEqual([0, 1]);
  });
});

describe('X', () => {
  it('is charged once a UTC day for each post if the account enabled it, for any number of reads', async () => {
    const account = await onX();
    const untilMidnight = () => 24 * HOUR - (now().getTime() % (24 * HOUR));
    world.clock.advance(untilMidnight());
    const [{ postId }] = [await makePost(world, 'x', { key: account.key, text: `Ding ${names}` })];
    await makePost(world, 'x', { key: account.key, text: `Dong ${names}` });
    for (let hour = 1; hour <= 25; hour += 1) await world.advance(HOUR);

    const day = Math.floor(now().getTime() / (24 * HOUR));
    const onePost = [
      { number: day - 1, cents: 2 },
      { number: day, cents: 2 },
    ];
    expect(await readsOf(postId, account.key)).toBe(25);
    expect(await chargesOf(account)).toEqual(onePost.flatMap((charge) => [charge, charge]));
    const { body } = await world.rest('GET /account', { key: account.key });
    expect(body.account.usage.xSpendCents).toBe(8);
  });

  it('is charged once a day with concurrent workers and after a read whose worker died', async () => {
    await alone();
    const account = await onX();
    const { postId } = await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    world.clock.advance(HOUR);
    const asked = askedX();
    await Promise.all([readDueMetrics(world.context, never), readDueMetrics(world.context, never)]);
    // The state of a worker that died between the platform's answer and the settlement: the read falls due again.
    await world.sql('delete from metrics_reads where post_id = $1', [postId]);
    await world.sql('update posts set next_read_at = $2 where id = $1', [postId, now()]);
    await world.runDue();

    expect(askedX() - asked).toBe(2);
    expect((await chargesOf(account)).map(({ cents }) => cents)).toEqual([2]);
  });

  it('is charged for the day of the call, when a day ends between the claim and the call', async () => {
    await alone();
    const account = await onX();
    world.clock.advance(24 * HOUR - (now().getTime() % (24 * HOUR)) - HOUR - 1);
    await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    world.clock.advance(HOUR);
    const { db } = world;
    const em = db.em.bind(db);
    const asked = askedX();
    let queries = 0;
    // Midnight passes right after the claim.
    const spy = vi.spyOn(db, 'em').mockImplementation(() => {
      queries += 1;
      if (queries === 3) world.clock.advance(1);
      return em();
    });
    await readDueMetrics(world.context, never);
    spy.mockRestore();
    const askedAtMidnight = askedX() - asked;
    await world.runDue();

    const day = Math.floor(now().getTime() / (24 * HOUR));
    expect([askedAtMidnight, askedX() - asked]).toEqual([0, 1]);
    expect(await chargesOf(account)).toEqual([{ number: day, cents: 2 }]);
  });

  it('is not called until the account enables it', async () => {
    await alone();
    const account = await onX({ analytics: false });
    const { postId } = await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    const asked = askedX();
    await world.advance(2 * HOUR);
    const without = askedX() - asked;
    await world.rest('PATCH /account', { key: account.key, body: { xAnalytics: true } });
    await world.advance(HOUR);

    expect(without).toBe(0);
    expect(await readsOf(postId, account.key)).toBe(1);
  });

  it.each([
    ['the cap is reached before the first read', { cap: 1 }, 0],
    ['the cap is reached by the fee of the day', { cap: 3 }, 2],
    ['no one pays', { pays: false }, 0],
    ['fees do not apply', { plan: 'unlimited', cap: 0 }, 2],
  ])('is read as often as the account can pay for: %s', async (_when, settings, reads) => {
    await alone();
    const account = await onX(settings);
    await world.sql('update accounts set has_payment_method = true where id = $1', [account.id]);
    const { postId } = await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    await world.sql('update accounts set has_payment_method = $2 where id = $1', [account.id, !('pays' in settings)]);
    await world.advance(HOUR);
    await world.advance(HOUR);

    expect(await readsOf(postId, account.key)).toBe(reads);
  });

  it.each([
    ['by two workers at once', 5],
    ['while another worker reads that came whole hours less its lease late', 50],
  ])('is not read for more than the cap %s', async (_when, apart) => {
    await alone();
    const account = await onX({ cap: 3 });
    const posts = [await makePost(world, 'x', { key: account.key, text: `Ding ${names}` })];
    world.clock.advance(apart * MINUTE);
    posts.push(await makePost(world, 'x', { key: account.key, text: `Dong ${names}` }));
    world.clock.advance(55 * MINUTE);
    const held = holdFetch();

    const first = readDueMetrics(held.context, never);
    await held.asked;
    world.clock.advance(5 * MINUTE);
    await readDueMetrics(world.context, never);
    held.answer();
    await first;

    expect(await Promise.all(posts.map(({ postId }) => readsOf(postId, account.key)))).toEqual([1, 0]);
    expect((await chargesOf(account)).map(({ cents }) => cents)).toEqual([2]);
  });

  it('is paid from the cap before a post that is sent while it is in progress', async () => {
    await alone();
    const account = await onX({ cap: 3 });
    const first = await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    world.clock.advance(HOUR);
    const held = holdFetch();
    const reading = readDueMetrics(held.context, never);
    await held.asked;

    const second = await makePost(world, 'x', { key: account.key, text: `Dong ${names} https://example.com` });
    held.answer();
    await reading;

    expect(second).toMatchObject({ status: 'failed', error: { code: 'spend_cap_reached' } });
    expect(await readsOf(first.postId, account.key)).toBe(1);
    expect((await chargesOf(account)).map(({ cents }) => cents)).toEqual([2]);
  });

  it('is read up to the cap while other reads of the account wait for a pause that is over already', async () => {
    await alone();
    const account = await onX({ cap: 3 });
    const { key } = account;
    xServer.addAccount(`second${names}`, `second-token-${names}`);
    const body = { platformId: 'x', credentials: { accessToken: `second-token-${names}` }, slug: 'second' };
    await world.rest('POST /connections', { key, body });
    await makePost(world, 'second', { key, text: `Ding ${names}` });
    world.clock.advance(2 * MINUTE);
    const due = await makePost(world, 'x', { key, text: `Dong ${names}` });
    xServer.answers['GET /2/tweets'] = [{ status: 503, json: {} }];
    await world.advance(58 * MINUTE);
    // Another worker, whose call was answered.
    await world.sql('delete from read_pauses');

    await world.advance(2 * MINUTE);

    expect(await readsOf(due.postId, key)).toBe(1);
  });

  it('is read on a day that is paid, although a later one was paid before the clock was set back', async () => {
    await alone();
    const account = await onX({ cap: 4 });
    world.clock.advance(24 * HOUR - (now().getTime() % (24 * HOUR)) - 2 * HOUR);
    const { postId } = await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    await world.advance(HOUR);
    const before = now();
    await world.advance(HOUR);
    expect(await chargesOf(account)).toHaveLength(2);

    world.clock.set(before);
    await world.sql('update posts set next_read_at = $2 where id = $1', [postId, before]);
    const asked = askedX();
    await readDueMetrics(world.context, never);

    expect(askedX() - asked).toBe(1);
    expect(await chargesOf(account)).toHaveLength(2);
    world.clock.advance(HOUR);
  });

  it('is read up to the cap while other reads of the account are postponed or due soon', async () => {
    await alone();
    const account = await onX({ cap: 3 });
    const { key } = account;
    xServer.addAccount(`second${names}`, `second-token-${names}`);
    const body = { platformId: 'x', credentials: { accessToken: `second-token-${names}` }, slug: 'second' };
    await world.rest('POST /connections', { key, body });
    const postponed = await makePost(world, 'second', { key, text: `Ding ${names}` });
    world.clock.advance(2 * MINUTE);
    const due = await makePost(world, 'x', { key, text: `Dang ${names}` });
    world.clock.advance(10 * MINUTE);
    const dueSoon = await makePost(world, 'x', { key, text: `Dong ${names}` });
    xServer.answers['GET /2/tweets'] = [{ status: 503, json: {} }];
    await world.advance(48 * MINUTE);

    await world.advance(2 * MINUTE);

    const posts = [postponed, due, dueSoon];
    expect(await Promise.all(posts.map(({ postId }) => readsOf(postId, key)))).toEqual([0, 1, 0]);
  });

  it('is not called with an access token that it no longer accepts', async () => {
    await alone();
    const account = await onX();
    const { postId } = await makePost(world, 'x', { key: account.key, text: `Ding ${names}` });
    await world.sql(`update connections set reconnect_since = $2, reconnect_reason = 'over' where account_id = $1`, [
      account.id,
      now(),
    ]);
    const asked = askedX();
    await world.advance(HOUR);

    expect(askedX() - asked).toBe(0);
    expect(await readsOf(postId, account.key)).toBe(0);
    expect(await chargesOf(account)).toEqual([]);
  });
});
