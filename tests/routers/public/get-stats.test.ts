/** GET /stats counts published posts and active connections, and nothing else. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const [{ id: accountId }] = (await world.sql<{ id: string }>('select id from accounts')) as [{ id: string }];

const DAY = 86_400_000;

async function connection(platformId: string, fields: { accountId?: string; deletedAt?: Date } = {}): Promise<string> {
  const id = world.context.random.uuid();
  await world.sql(
    `insert into connections (id, account_id, platform_id, slug, handle, description, queue_slots,
       platform_account_id, created_at, deleted_at) values ($1, $2, $3, $4, 'h', '', '[]', $4, $5, $6)`,
    [id, fields.accountId ?? accountId, platformId, `s-${id}`, START, fields.deletedAt ?? null],
  );
  return id;
}

interface StoredPost {
  readonly platformId?: string;
  readonly mode?: 'live' | 'test';
  readonly status?: string;
  readonly sentAgoMs?: number;
}

async function post(connectionId: string, fields: StoredPost = {}): Promise<string> {
  const { platformId = 'bluesky', mode = 'live', status = 'sent', sentAgoMs = 0 } = fields;
  const id = world.context.random.uuid();
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text,
       tags, thread, created_at, sent_at) values ($1, $2, $3, 's', $4, $5, $6, 't', 't', '{}', '{}', $7, $8)`,
    [
      id,
      accountId,
      connectionId,
      platformId,
      mode,
      status,
      START,
      ['sent', 'deleted'].includes(status) ? new Date(START.getTime() - sentAgoMs) : null,
    ],
  );
  return id;
}

describe('200', () => {
  it('counts the published live posts of seven days and of all time, and the connections', async () => {
    const bluesky = await connection('bluesky');
    const other = await makeAccount(world);
    await connection('mastodon', { accountId: other.id });
    await connection('bluesky', { accountId: other.id });
    await connection('reddit', { deletedAt: START });
    const sandbox = await connection('sandbox');
    await post(bluesky);
    await post(bluesky, { sentAgoMs: 7 * DAY - 1 });
    await post(bluesky, { sentAgoMs: 7 * DAY });
    await post(bluesky, { mode: 'test' });
    await post(sandbox, { platformId: 'sandbox' });
    for (const status of ['scheduled', 'processing', 'draft', 'failed', 'cancelled', 'deleted']) {
      await post(bluesky, { status });
    }

    const { status, body } = await world.rest('GET /stats', { key: null });

    expect(status).toBe(200);
    expect(body).toEqual({
      postsThisWeek: 2,
      postsAllTime: 3,
      liveConnections: 3,
      platformsLive: ['bluesky', 'mastodon'],
      time: START.toISOString(),
    });
  });

  it('returns the same for sixty seconds, and then a new answer', async () => {
    const first = await world.rest('GET /stats', { key: null });
    world.clock.advance(59_999);
    const kept = await world.rest('GET /stats', { key: null });
    world.clock.advance(1);

    const refreshed = await world.rest('GET /stats', { key: null });

    expect(kept.body).toEqual(first.body);
    expect(refreshed.body.time).toBe(world.clock.now().toISOString());
  });

  it('counts the posts of a week every minute, and older ones every hour', async () => {
    const bluesky = await connection('bluesky');
    const posts = async () => (await world.rest('GET /stats', { key: null })).body.postsAllTime as number;
    world.clock.advance(3_600_000);
    const old = await post(bluesky, { sentAgoMs: 8 * DAY });
    const recent = await post(bluesky);
    const before = await posts();

    await world.sql(`update posts set status = 'deleted' where id = any($1)`, [[old, recent]]);
    for (let count = 1; count <= 3; count += 1) await post(bluesky);
    world.clock.advance(60_000);
    const afterMinute = await posts();
    world.clock.advance(3_540_000);
    const afterHour = await posts();

    expect([afterMinute - before, afterHour - before]).toEqual([2, 1]);
  });

  it('uses an index to count, regardless of the number of posts', async () => {
    const plan = await world.sql<{ 'QUERY PLAN': string }>(
      `explain select count(*) from posts where status = 'sent' and mode = 'live' and platform_id <> 'sandbox' and sent_at > now()`,
    );

    // Which of the two depends on what other tests have left in the statistics of the database.
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/using posts_(reached|sent)_index/);
  });

  it('has only zeros on a new install', async () => {
    await using fresh = await startWorld();

    const { body } = await fresh.rest('GET /stats', { key: null });

    expect(body).toEqual({
      postsThisWeek: 0,
      postsAllTime: 0,
      liveConnections: 0,
      platformsLive: [],
      time: START.toISOString(),
    });
  });
});
