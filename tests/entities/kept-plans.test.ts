/** PostgreSQL plans the statements of ordinary requests once, not for each request. It decides so by its estimates of their cost. */
import { expect, it } from 'vitest';
import { onServer, TEST_DATABASE_URL } from '../harness/database.ts';
import { registerWebhook, startReceiver } from '../harness/receiver.ts';
import { startWorld, type World } from '../harness/world.ts';

/** After five plans for the values at hand, a connection keeps a general plan if it promises to cost no more. */
const TRIED = 5;

/**
 * Ends all connections of the world, which then opens new ones. A connection compares a general plan with the mean cost of all
 * its plans before: those for small tables cost less.
 */
async function endConnections(world: World): Promise<void> {
  const [at] = await world.sql<{ name: string }>('select current_database() as name');
  await onServer(`
    select pg_terminate_backend(pid, 5000) from pg_stat_activity
    where datname = '${at?.name}' and backend_type = 'client backend'`);
  await expect.poll(async () => (await world.rest('GET /posts')).status, { timeout: 10_000 }).toBe(200);
}

/** Looks of the workers that ask for times, once in a while: they wait for no request. */
const LOOKS = /limit \d+ for no key update skip locked/;

it.runIf(TEST_DATABASE_URL !== undefined)(
  'keeps the plan of each statement of posts, pages and deliveries',
  async () => {
    // What a used database knows of the sizes of its tables depends on the tests before.
    const world = await startWorld({ isDatabaseNew: true });
    const receiver = await startReceiver();
    await registerWebhook(world, receiver.url);
    const post = async (fields: object) => {
      const body = { text: 'Ding', connectionSlugs: [world.sandboxSlug], ...fields };
      expect((await world.rest('POST /posts', { body })).status).toBe(200);
    };
    const soon = () => ({ scheduledFor: new Date(world.clock.now().getTime() + 1_000).toISOString() });
    // In small tables every plan costs the same.
    await world.sql(`
    insert into audit_entries (id, account_id, at, actor_kind, actor_id, actor_name, surface, operation, object_ids, mode)
    select gen_random_uuid(), (select id from accounts limit 1), now(), 'key', 'k', 'A key', 'rest', 'posts.create', '{}', 'live'
    from generate_series(1, 5000)`);
    for (let made = 0; made < 100; made += 1) await post(soon());
    await world.advance(2_000);
    await world.sql('analyze');
    await endConnections(world);

    for (let made = 0; made < 8 * TRIED; made += 1) {
      await post({});
      await post(soon());
      await world.advance(2_000);
      expect((await world.rest('GET /posts?limit=25')).status).toBe(200);
    }

    // The tables grow meanwhile, and the first plans cost less. After as many more, the mean is that of the general plan.
    const statements = await world.sql<{ statement: string; kept: boolean }>(
      'select statement, generic_plans > 0 as kept from pg_prepared_statements where generic_plans + custom_plans > $1',
      [2 * TRIED],
    );
    expect(statements.length).toBeGreaterThan(10);
    expect(statements.filter(({ statement, kept }) => !kept && !LOOKS.test(statement))).toEqual([]);
  },
);
