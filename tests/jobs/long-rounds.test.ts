/** A round ends although work is left, so that its loop does not count as late, and the next round goes on. */
import { expect, it } from 'vitest';
import type { SqlEntityManager } from '@mikro-orm/sql';
import { feeds } from '../../jobs/feeds.ts';
import { imports } from '../../jobs/imports.ts';
import type { Loop, LoopContext } from '../../jobs/loop.ts';
import { loginRenewals } from '../../jobs/login-renewals.ts';
import { metricsReads } from '../../jobs/metrics-reads.ts';
import { ownerNotices } from '../../jobs/owner-notices.ts';
import { retention } from '../../jobs/retention.ts';
import { scheduledPosts } from '../../jobs/scheduled-posts.ts';
import { storeOwnerNotices } from '../../services/notices/store-owner-notices.ts';
import { accountWithSandbox } from '../harness/connections.ts';
import { OWNER_ENV } from '../harness/owner.ts';
import { makePost } from '../harness/posts.ts';
import { startWorld } from '../harness/world.ts';

const world = await startWorld({ env: OWNER_ENV });
const never = new AbortController().signal;

/** The same with a clock on which 20 seconds pass between two looks. */
function slowly<Given extends LoopContext>(context: Given): Given {
  let elapsed = 0;
  return { ...context, clock: { ...context.clock, elapsed: () => (elapsed += 20_000) } };
}

/** What each round does until nothing is left. */
async function roundsOf(loop: Loop, context: LoopContext): Promise<number[]> {
  const rounds: number[] = [];
  for (let begun = -1; begun !== 0;) {
    begun = await loop.run(context, never);
    if (begun > 0) rounds.push(begun);
  }
  return rounds;
}

it('that sends a backlog', async () => {
  const { key } = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
  for (let post = 0; post < 6; post += 1) await makePost(world, 'sandbox', { key, scheduledFor });
  world.clock.advance(1_000);
  const { context } = world;
  // One at a time, each of which is over at once.
  const sandbox = { ...context.platforms.sandbox, concurrency: { perProcess: 2, perConnection: 1 } };
  const sends = { ...context.sends, inProgress: [], send: () => new Promise<never>(() => {}) };

  const rounds = await roundsOf(
    scheduledPosts,
    slowly({ ...context, sends, platforms: { ...context.platforms, sandbox } }),
  );

  expect(rounds.length).toBeGreaterThan(1);
  expect(rounds.reduce((sum, begun) => sum + begun)).toBe(6);
});

it('that imports a long file', async () => {
  const { key } = await accountWithSandbox(world);
  const rows = Array.from({ length: 6 }, (_, row) => ({ text: `Row ${row}`, connectionSlugs: ['sandbox'] }));
  const body = { format: 'json', content: JSON.stringify(rows) };
  const started = await world.rest('POST /imports', { key, body });

  const rounds = await roundsOf(imports, slowly(world.context));

  expect(rounds.length).toBeGreaterThan(1);
  const { import: ended } = (await world.rest(`GET /imports/${started.body.import.id}`, { key })).body;
  expect(ended).toMatchObject({ status: 'done', counts: { created: 6 } });
});

it('that polls many feeds', async () => {
  const { key } = await accountWithSandbox(world);
  for (let feed = 0; feed < 25; feed += 1) {
    const url = `http://127.0.0.1:9/${feed}.xml`;
    expect((await world.rest('POST /feeds', { key, body: { url, connectionSlugs: ['sandbox'] } })).status).toBe(200);
  }

  expect(await roundsOf(feeds, slowly(world.context))).toEqual([10, 10, 5]);
});

it('that mails many owners', async () => {
  const mails: string[] = [];
  const mail = { domain: 'bells.example', send: async ({ subject }: { subject: string }) => void mails.push(subject) };
  const context = { ...world.context, mail: mail as never };
  const [account] = await world.sql<{ id: string }>('select account_id as id from owners');
  await context.db.em().transactional(async (em: SqlEntityManager) => {
    for (let notice = 0; notice < 4; notice += 1)
      await storeOwnerNotices(context, em, account?.id ?? '', { subject: `Notice ${notice}`, text: 'Text' });
  });

  const rounds = await roundsOf(ownerNotices, slowly(context));

  expect(rounds.length).toBeGreaterThan(1);
  expect(mails.filter((subject) => subject.startsWith('Notice'))).toHaveLength(4);
});

it('that reads the metrics of many posts', async () => {
  const { key } = await accountWithSandbox(world);
  const { postId } = await makePost(world, 'sandbox', { key });
  await world.sql('update posts set next_read_at = case when id = $1 then $2::timestamptz end', [
    postId,
    world.clock.now(),
  ]);
  await world.sql(
    `insert into posts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
     from posts p, generate_series(1, 1200) where p.id = $1`,
    [postId],
  );

  const rounds = await roundsOf(metricsReads, slowly(world.context));

  expect([rounds.length > 1, rounds.reduce((sum, begun) => sum + begun)]).toEqual([true, 1_201]);
});

it('that renews many credentials', async () => {
  const { connection } = await accountWithSandbox(world);
  // The sandbox renews nothing, so each try is over at once.
  await world.sql(
    `insert into connections select (jsonb_populate_record(c, jsonb_build_object('id', gen_random_uuid(),
       'slug', 'bell' || n, 'platform_account_id', 'bell' || n, 'renew_at', $2::text))).*
     from connections c, generate_series(1, 45) n where c.id = $1`,
    [connection.id, world.clock.now().toISOString()],
  );

  expect(await roundsOf(loginRenewals, slowly(world.context))).toEqual([20, 20, 5]);
});

it('that removes expired rows, of which each table has a turn in each round', async () => {
  await world.sql(
    `insert into idempotency_records (id, account_id, key, operation, body_hash, response, completed_at, created_at, expires_at)
     select gen_random_uuid(), a.id, 'old ' || n, 'posts.create', repeat('0', 64), '{"results":[]}', $1, $1, $1
     from (select id from accounts limit 1) a, generate_series(1, 2500) n`,
    [new Date(world.clock.now().getTime() - 1)],
  );
  const left: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await retention.run(slowly({ ...world.context, clock: { ...world.clock, sleep: async () => {} } }), never);
    const [row] = await world.sql<{ left: number }>(
      `select count(*)::int as left from idempotency_records where key like 'old %'`,
    );
    left.push(row?.left ?? -1);
  }

  expect(left).toEqual([1_500, 500, 0]);
});
