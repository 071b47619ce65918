/** GET /analytics of an account with many posts reads those of its window and its filter, and few others. */
import { beforeAll, describe, expect, it } from 'vitest';
import { foundPosts, type SampleFilter } from '../../../services/analytics/read-sample.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { connectSandbox, type TestConnection } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const world = await startWorld();
const now = world.clock.now();
const day = (daysAgo: number) => new Date(now.getTime() - daysAgo * DAY).toISOString().slice(0, 10);

let key: string;
let accountId: string;
let bells: TestConnection;

interface SentPosts {
  readonly connection: TestConnection;
  readonly count: number;
  /** When the first was accepted; each of the others an hour after the one before. */
  readonly acceptedDaysAgo: number;
  /** Left out, each is sent when it is accepted. */
  readonly sentAt?: Date;
  readonly tag?: string;
}

async function storeSent({ connection, count, acceptedDaysAgo, sentAt, tag }: SentPosts): Promise<void> {
  await world.sql(
    `with stored as (
       insert into posts (id, account_id, connection_id, connection_slug, profile_id, platform_id, mode, status, text, original_text, tags, thread, created_at, sent_at)
       select (overlay(lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') placing '-' from 9 for 0) || '-7' || right(gen_random_uuid()::text, 21))::uuid,
         $1, c.id, $3, c.profile_id, 'sandbox', 'live', 'sent', 'Ding', 'Ding', $4::text[], '{}', at, coalesce($5::timestamptz, at)
       from connections c, (select $6::timestamptz + n * interval '1 hour' as at from generate_series(0, $7::int - 1) as n) numbers
       where c.id = $2
       returning id, account_id, tags)
     insert into post_tags (post_id, tag, account_id) select id, unnest(tags), account_id from stored`,
    [
      accountId,
      connection.id,
      connection.slug,
      tag === undefined ? [] : [tag],
      sentAt ?? null,
      new Date(now.getTime() - acceptedDaysAgo * DAY),
      count,
    ],
  );
}

/** Pages of 8 KB, of the tables and of their indexes. */
async function pagesRead(filter: SampleFilter, daysAgo: number): Promise<number> {
  const caller = { accountId, profileId: null, mode: 'live' } as Parameters<typeof foundPosts>[1];
  const { sql, parameters } = foundPosts(world.context, caller, filter, { from: day(daysAgo), to: day(0) }).compile();
  const plan = await world.sql<{ 'QUERY PLAN': string }>(
    `explain (analyze, buffers, costs off, timing off) ${sql}`,
    parameters,
  );
  const [, pages] = /shared hit=(\d+)/.exec(plan.map((row) => row['QUERY PLAN']).join('\n')) ?? [];
  return Number(pages);
}

beforeAll(async () => {
  ({ key, id: accountId } = await makeAccount(world));
  bells = await connectSandbox(world, { key, slug: 'bells' });
  await storeSent({ connection: bells, count: 4_000, acceptedDaysAgo: 200 });
});

describe('with a tag', () => {
  beforeAll(async () => {
    await storeSent({ connection: bells, count: 1_000, acceptedDaysAgo: 200, tag: 'campaign' });
    await world.sql('analyze posts');
    await world.sql('analyze post_tags');
  });

  it('looks up no posts that were sent long before the window', async () => {
    const { body } = await world.rest('GET /analytics?tag=campaign', { key });

    expect([body.totals.posts, body.sample]).toEqual([0, { posts: 0, max: 10_000, isWhole: true }]);
    // A thousand lookups read more than 3,000.
    expect(await pagesRead({ tag: ['campaign'] }, 29)).toBeLessThan(50);
  });

  it('counts a post that was accepted long before the window, and sent in it', async () => {
    const from = new Date(day(29));
    // Scheduled as far ahead as it can be, and a draft that was published later. The second of each is sent a day before the window.
    for (const acceptedDaysAgo of [59, 190]) {
      await storeSent({ connection: bells, count: 1, acceptedDaysAgo, sentAt: from, tag: 'late' });
      await storeSent({ connection: bells, count: 1, acceptedDaysAgo, sentAt: new Date(+from - 1), tag: 'late' });
    }
    await storeSent({ connection: bells, count: 1, acceptedDaysAgo: 190, sentAt: now, tag: 'late' });

    const { body } = await world.rest('GET /analytics?tag=late', { key });
    const { body: earlier } = await world.rest(`GET /analytics?tag=late&from=${day(30)}&to=${day(30)}`, { key });

    expect([body.totals.posts, body.days.at(0).posts, body.days.at(-1).posts]).toEqual([3, 2, 1]);
    expect(earlier.totals.posts).toBe(2);
  });
});
