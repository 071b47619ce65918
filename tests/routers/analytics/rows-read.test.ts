/** GET /analytics of an account with many posts reads those of its window and its filter, and few others. */
import { beforeAll, describe, expect, it } from 'vitest';
import { readDailyMetrics } from '../../../services/analytics/read-daily-metrics.ts';
import { readSample, type SampleFilter } from '../../../services/analytics/read-sample.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, type TestConnection } from '../../harness/connections.ts';
import { pagesRead } from '../../harness/pages-read.ts';
import { startWorld } from '../../harness/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const world = await startWorld();
const now = world.clock.now();
const day = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY).toISOString().slice(0, 10);

let key: string;
let accountId: string;

interface SentPosts {
  readonly connection: TestConnection;
  readonly count: number;
  /** When the first was accepted; each of the others an hour after the one before. */
  readonly acceptedDaysAgo: number;
  /** Left out, each is sent when it is accepted. */
  readonly sentAt?: Date;
  readonly tag?: string;
}

/** Under the slug and the profile that the connection has now. */
async function storeSent({ connection, count, acceptedDaysAgo, sentAt, tag }: SentPosts): Promise<void> {
  await world.sql(
    `with stored as (
       insert into posts (id, account_id, connection_id, connection_slug, profile_id, platform_id, mode, status, text, original_text, tags, thread, created_at, sent_at)
       select (overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0) || '-7' || right(gen_random_uuid()::text, 21))::uuid,
         $1, c.id, c.slug, c.profile_id, c.platform_id, 'live', 'sent', 'Ding', 'Ding', $3::text[], '{}', at, coalesce($4::timestamptz, at)
       from connections c, (select $5::timestamptz + n * interval '1 hour' as at from generate_series(0, $6::int - 1) as n) numbers
       where c.id = $2
       returning id, account_id, tags)
     insert into post_tags (post_id, tag, account_id) select id, unnest(tags), account_id from stored`,
    [
      accountId,
      connection.id,
      tag === undefined ? [] : [tag],
      sentAt ?? null,
      new Date(now.getTime() - acceptedDaysAgo * DAY),
      count,
    ],
  );
}

/** Pages that the sample of some days up to the present one takes. */
async function pagesOf(filter: SampleFilter, daysAgo: number): Promise<number> {
  const caller = { accountId, profileId: null, mode: 'live' } as Parameters<typeof readSample>[1];
  const daily = await readDailyMetrics(world.context, caller, filter, { from: day(daysAgo), to: day(0) });
  return pagesRead(world, (context) => readSample(context, caller, filter, daily));
}

/** How many posts a year of analytics has, and how many of them the sample. */
async function countOf(query: string): Promise<[number, number]> {
  const { body } = await world.rest(`GET /analytics?from=${day(364)}&include=times&${query}`, { key });
  expect(body.sample.isWhole).toBe(true);
  return [body.totals.posts, body.sample.posts];
}

const connect = (slug: string, profileId?: string) =>
  connectSandbox(world, { key, slug, ...(profileId !== undefined && { profileId }) });

beforeAll(async () => {
  ({ key, id: accountId } = await makeAccount(world));
  const bells = await connect('bells');
  await storeSent({ connection: bells, count: 4_000, acceptedDaysAgo: 200 });
  await storeSent({ connection: bells, count: 1_000, acceptedDaysAgo: 200, tag: 'campaign' });
  await world.sql('analyze posts');
  await world.sql('analyze post_tags');
});

describe('with a tag', () => {
  it('looks up no posts that were sent long before the window', async () => {
    const { body } = await world.rest('GET /analytics?tag=campaign', { key });

    expect([body.totals.posts, body.sample]).toEqual([0, { posts: 0, max: 10_000, isWhole: true }]);
    // A thousand lookups read more than 3,000.
    expect(await pagesOf({ tag: ['campaign'] }, 40)).toBeLessThan(50);
  });

  it('counts a post that was accepted long before the window, and sent in it', async () => {
    const from = new Date(day(29));
    const late = await connect('late');
    // Scheduled as far ahead as it can be, and a draft that was published later. The second of each is sent a day before the window.
    for (const acceptedDaysAgo of [59, 190]) {
      await storeSent({ connection: late, count: 1, acceptedDaysAgo, sentAt: from, tag: 'late' });
      await storeSent({ connection: late, count: 1, acceptedDaysAgo, sentAt: new Date(+from - 1), tag: 'late' });
    }
    await storeSent({ connection: late, count: 1, acceptedDaysAgo: 190, sentAt: now, tag: 'late' });

    const { body } = await world.rest('GET /analytics?tag=late', { key });
    const { body: earlier } = await world.rest(`GET /analytics?tag=late&from=${day(30)}&to=${day(30)}`, { key });

    expect([body.totals.posts, body.days.at(0).posts, body.days.at(-1).posts]).toEqual([3, 2, 1]);
    expect(earlier.totals.posts).toBe(2);
  });
});

describe('with a tag and the slug of few posts', () => {
  it('reads the posts of the connection, not those of the tag', async () => {
    const small = await connect('small-campaign');
    await storeSent({ connection: small, count: 20, acceptedDaysAgo: 190, tag: 'campaign' });
    await storeSent({ connection: small, count: 10, acceptedDaysAgo: 180 });

    expect(await countOf('tag=campaign&connectionSlug=small-campaign')).toEqual([20, 20]);
    expect(await pagesOf({ tag: ['campaign'], connectionSlug: 'small-campaign' }, 364)).toBeLessThan(150);
  });

  it('reads the posts of the tag, if those are fewer', async () => {
    const connection = await connect('rare');
    await storeSent({ connection, count: 1_000, acceptedDaysAgo: 190 });
    await storeSent({ connection, count: 4, acceptedDaysAgo: 180, tag: 'rare' });

    expect(await countOf('tag=rare&connectionSlug=rare')).toEqual([4, 4]);
    expect(await pagesOf({ tag: ['rare'], connectionSlug: 'rare' }, 364)).toBeLessThan(50);
  });
});

describe('with the slug or the profile of few posts', () => {
  it('reads the posts of their connections', async () => {
    const profileId = (await world.profile('Acme', accountId)).id;
    const small = await connect('small', profileId);
    // The first and the last of all: the posts of the others are between them.
    for (const acceptedDaysAgo of [210, 20]) await storeSent({ connection: small, count: 10, acceptedDaysAgo });

    expect(await countOf('connectionSlug=small')).toEqual([20, 20]);
    expect(await countOf(`profileId=${profileId}`)).toEqual([20, 20]);
    // Along all connections, it takes more than 800.
    expect(await pagesOf({ connectionSlug: 'small' }, 364)).toBeLessThan(150);
    expect(await pagesOf({ profileId }, 364)).toBeLessThan(150);
  });

  it('counts those that a connection sent under a slug that it has no more, and that another one has', async () => {
    const first = await connect('renamed');
    await storeSent({ connection: first, count: 30, acceptedDaysAgo: 150 });
    await world.rest(`PATCH /connections/${first.id}/settings`, { key, body: { slug: 'new-name' } });
    await storeSent({ connection: first, count: 7, acceptedDaysAgo: 100 });
    await storeSent({ connection: await connect('renamed'), count: 5, acceptedDaysAgo: 100 });

    expect(await countOf('connectionSlug=renamed')).toEqual([35, 35]);
    expect(await countOf('connectionSlug=new-name')).toEqual([7, 7]);
  });

  it('counts those of a profile whose connection was moved or deleted', async () => {
    const profileId = (await world.profile('Moving', accountId)).id;
    const moved = await connect('moved', profileId);
    await storeSent({ connection: moved, count: 9, acceptedDaysAgo: 90 });
    await world.rest(`PATCH /connections/${moved.id}`, { key, body: { profileId: null } });
    await storeSent({ connection: moved, count: 8, acceptedDaysAgo: 80 });
    const deleted = await connect('deleted', profileId);
    await storeSent({ connection: deleted, count: 6, acceptedDaysAgo: 85 });
    await world.rest(`DELETE /connections/${deleted.id}`, { key });

    expect(await countOf(`profileId=${profileId}`)).toEqual([15, 15]);
    expect(await countOf(`profileId=${profileId}&connectionSlug=deleted`)).toEqual([6, 6]);
    expect(await countOf('connectionSlug=moved')).toEqual([17, 17]);
    expect(await countOf('connectionSlug=moved&platform=bluesky')).toEqual([0, 0]);
  });
});
