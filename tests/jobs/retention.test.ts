/**
 * Retention: every table has a stated one, rows that have expired are removed in small steps, and what callers see stays
 * right (docs/operations.md#what-is-kept-and-for-how-long, docs/contract/posts.md#idempotency,
 * docs/contract/metrics.md#how-long-reads-are-kept).
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { retention } from '../../jobs/retention.ts';
import { enforceRetention } from '../../services/retention/enforce-retention.ts';
import { RETENTIONS } from '../../services/retention/retentions.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld, type World } from '../harness/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const never = new AbortController().signal;

/** Steps of a round that finds nothing. */
const IDLE_STEPS = Object.values(RETENTIONS).flatMap(({ rules = [] }) => rules).length;

/** Tables of libraries, with one row for each migration and for each periodic job. */
const OF_LIBRARIES = new Set(['mikro_orm_migrations', 'agenda_jobs', 'agenda_job_logs', 'agenda_job_events']);

const retain = (world: World) => retention.run(world.context, never);

describe('the retention of a table', () => {
  it('is stated for every table of the database', async () => {
    const world = await startWorld();

    const tables = await world.sql<{ name: string }>(
      `select table_name as name from information_schema.tables where table_schema = 'public'`,
    );

    const stored = tables.map(({ name }) => name).filter((name) => !OF_LIBRARIES.has(name));
    expect(stored.toSorted()).toEqual(Object.keys(RETENTIONS).toSorted());
  });

  it('is listed for operators in the same words', () => {
    const page = readFileSync('docs/operations.md', 'utf8');

    const listed = [...page.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, table = '', kept]) => [table, kept]);
    const stated = Object.entries(RETENTIONS).map(([table, { kept }]) => [table, kept]);

    expect(listed.filter(([table = '']) => table in RETENTIONS)).toEqual(stated);
  });
});

/** Stores completed requests whose 24 hours are over. */
const storeExpired = (world: World, requests: number) =>
  world.sql(
    `insert into idempotency_records (id, account_id, key, operation, body_hash, response, completed_at, created_at, expires_at)
     select gen_random_uuid(), a.id, 'old ' || n, 'posts.create', repeat('0', 64), '{"results":[]}', $1, $1, $1
     from (select id from accounts limit 1) a, generate_series(1, $2::int) n`,
    [new Date(world.clock.now().getTime() - 1), requests],
  );

async function keysOf(world: World): Promise<string[]> {
  const rows = await world.sql<{ key: string }>('select key from idempotency_records order by key');
  return rows.map(({ key }) => key);
}

describe('a backlog of expired rows', () => {
  it('is removed in steps of 1,000 rows, and nothing of it is left', async () => {
    const world = await startWorld();
    await storeExpired(world, 2_500);

    const steps = await enforceRetention(world.context, never);

    expect([steps, await keysOf(world)]).toEqual([IDLE_STEPS + 2, []]);
  });

  it('is continued by the next round when a round has reached its limit of steps', async () => {
    const world = await startWorld();
    await storeExpired(world, 2_500);

    const left: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await enforceRetention(world.context, never, IDLE_STEPS);
      left.push((await keysOf(world)).length);
    }

    expect(left).toEqual([1_500, 500, 0]);
  });

  it('is removed once by workers that run at the same time', async () => {
    const world = await startWorld();
    await storeExpired(world, 2_500);

    await Promise.all(Array.from({ length: 4 }, () => retain(world)));

    expect(await keysOf(world)).toEqual([]);
  });

  it('is not started by a worker that stops', async () => {
    const world = await startWorld();
    await storeExpired(world, 1);

    const steps = await retention.run(world.context, AbortSignal.abort());

    expect([steps, await keysOf(world)]).toEqual([0, ['old 1']]);
  });

  it('is removed although the rows of another table cannot be, which fails the round', async () => {
    const world = await startWorld();
    await storeExpired(world, 1);
    await world.sql('alter table events rename to events_elsewhere');

    await expect(retain(world)).rejects.toThrow(/events/);

    expect(await keysOf(world)).toEqual([]);
  });
});

describe('what counts requests', () => {
  it('keeps the window, and nothing of a later time, from before the clock was set back', async () => {
    const world = await startWorld();
    const now = world.clock.now();
    for (const [bucket, seconds] of [
      ['expired', -60],
      ['counts', -59],
      ['now', 0],
      ['of another machine', 60],
      ['before the step', 61],
    ] as const) {
      const at = new Date(now.getTime() + seconds * 1000);
      await world.sql('insert into rate_limit_buckets (bucket, accepted, last_at) values ($1, 1, $2)', [bucket, at]);
      await world.sql('insert into rate_limit_hits (bucket, number, at) values ($1, 0, $2)', [bucket, at]);
    }

    await retain(world);

    for (const table of ['rate_limit_buckets', 'rate_limit_hits']) {
      const rows = await world.sql<{ bucket: string }>(`select bucket from ${table} order by 1`);
      expect([table, ...rows.map(({ bucket }) => bucket)]).toEqual([table, 'counts', 'now', 'of another machine']);
    }
  });
});

describe('the record of an Idempotency-Key', () => {
  const create = (world: World, key: string) =>
    world.rest('POST /posts', {
      body: { text: 'Once a day', connectionSlugs: [world.sandboxSlug] },
      headers: { 'idempotency-key': key },
    });

  it('replays the answer for 24 hours, and is removed then: the key makes a new post', async () => {
    const world = await startWorld();
    const first = await create(world, 'daily');
    await world.advance(DAY - 1);
    await retain(world);
    const replayed = await create(world, 'daily');
    const before = await keysOf(world);
    await world.advance(1);
    await retain(world);
    const after = await keysOf(world);

    const next = await create(world, 'daily');

    expect([replayed.headers.get('idempotent-replayed'), replayed.body]).toEqual(['true', first.body]);
    expect([before, after]).toEqual([['daily'], []]);
    expect(next.headers.get('idempotent-replayed')).toBe(null);
    expect(next.body.results[0]).toEqual({
      ...first.body.results[0],
      postId: expect.not.stringMatching(first.body.results[0].postId),
      url: expect.any(String),
    });
  });

  it('stays while a post of an interrupted request is being sent', async () => {
    const world = await startWorld();
    const { body } = await create(world, 'died');
    const [{ postId }] = body.results;
    await world.sql('update idempotency_records set completed_at = null');
    await world.sql(`update posts set status = 'processing', claim = $2, claimed_until = $3 where id = $1`, [
      postId,
      postId,
      new Date(world.clock.now().getTime() + 2 * DAY),
    ]);
    await world.sql(`update attempts set state = 'sending', settled_at = null where post_id = $1`, [postId]);
    world.clock.advance(DAY);
    await retain(world);
    const during = await keysOf(world);
    world.clock.advance(DAY);
    await world.runDue();

    await retain(world);

    const post = await world.rest(`GET /posts/${postId}`);
    expect([during, post.body.post.status, await keysOf(world)]).toEqual([['died'], 'sent', []]);
  });
});

interface Read {
  readonly fetchedAt: string;
  readonly likes: number | null;
}

async function metricsOf(world: World, postId: string): Promise<{ latest: Read; history: Read[] }> {
  const { body } = await world.rest(`GET /posts/${postId}/metrics`);
  return body;
}

/** Tags, so that every post is read one by one, and the best times; the same window at any time. */
async function analyticsOf(world: World): Promise<unknown> {
  const { body } = await world.rest('GET /analytics?from=2026-11-20&to=2026-11-30&include=tags&include=times');
  return body;
}

describe('reads of metrics', () => {
  it('are thinned to the last of each day after 35 days, and to the newest after 365; analytics stay', async () => {
    const world = await startWorld({ clock: 'manual' });
    const { postId } = await makePost(world, world.sandboxSlug, { tags: ['launch'] });
    const sentAt = world.clock.now().getTime();
    await world.rest('POST /simulation/clock', { body: { advanceSeconds: 34 * 86_400 } });
    await retain(world);
    const all = await metricsOf(world, postId);
    const analytics = await analyticsOf(world);
    const until = async (days: number) => {
      world.clock.set(new Date(sentAt + days * DAY));
      await retain(world);
      return metricsOf(world, postId);
    };

    const lastSecond = await until(34.999);
    const thinned = await until(35);
    const beforeYear = await until(364.999);
    const afterYear = await until(365);

    const dayAfter = all.history.filter(({ fetchedAt }) => Date.parse(fetchedAt) === sentAt + DAY);
    const lastOfDays = all.history.filter(
      ({ fetchedAt }, index) => fetchedAt.slice(0, 10) !== all.history[index + 1]?.fetchedAt.slice(0, 10),
    );
    const expected = [...dayAfter, ...lastOfDays].toSorted((a, b) => (a.fetchedAt < b.fetchedAt ? -1 : 1));
    expect([all.history.length, expected.length]).toEqual([78, 33]);
    expect(lastSecond).toEqual(all);
    expect(thinned).toEqual({ latest: all.latest, history: expected });
    expect(beforeYear).toEqual(thinned);
    expect(afterYear).toEqual({ latest: all.latest, history: [...dayAfter, all.latest] });
    expect(await analyticsOf(world)).toEqual(analytics);
  });

  it('continue after they were thinned: a late one counts once in analytics', async () => {
    const world = await startWorld();
    const { postId } = await makePost(world, world.sandboxSlug);
    for (let read = 0; read < 3; read += 1) await world.advance(HOUR);
    world.clock.advance(40 * DAY);
    await retain(world);
    const thinned = await metricsOf(world, postId);

    await world.runDue();

    const { latest, history } = await metricsOf(world, postId);
    const { body } = await world.rest('GET /analytics?from=2026-11-21&to=2026-11-21');
    expect(thinned.history).toHaveLength(1);
    expect(history).toEqual([...thinned.history, latest]);
    expect(body.totals).toMatchObject({ posts: 1, readPosts: 1, likes: latest.likes });
  });

  it('of more posts than fit in one step are thinned in several', async () => {
    const world = await startWorld();
    const { postId } = await makePost(world, world.sandboxSlug);
    await world.advance(HOUR);
    await world.advance(HOUR);
    await world.sql(
      `insert into posts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(), 'next_read_at', null))).*
       from posts p, generate_series(1, 49) where p.id = $1`,
      [postId],
    );
    await world.sql(
      `insert into metrics_reads select (jsonb_populate_record(r, jsonb_build_object('post_id', p.id))).*
       from metrics_reads r, posts p where p.id <> $1`,
      [postId],
    );
    world.clock.advance(35 * DAY);

    const steps = await retain(world);

    const reads = await world.sql<{ number: number; posts: number }>(
      'select number, count(*)::int as posts from metrics_reads group by 1',
    );
    expect([steps, reads]).toEqual([IDLE_STEPS + 2, [{ number: 2, posts: 50 }]]);
  });
});
