import { expect, it } from 'vitest';
import { statements } from '../../../entities/statement.ts';
import { connectSandbox } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';

it('finds the sent posts that are not counted along their index, also beside thousands that were never sent', async () => {
  await using world = await startWorld();
  const { id: connectionId } = await connectSandbox(world, { key: world.liveKey, slug: 'bells' });
  await world.sql(
    `insert into posts (id, account_id, connection_id, connection_slug, platform_id, mode, status, text, original_text, tags, thread, created_at,
       sent_at, counted)
     select lpad(to_hex(n), 32, '0')::uuid, account_id, id, slug, platform_id, 'live', case when n % 2 = 0 then 'failed' else 'sent' end, 'Ding', 'Ding',
       '{}', '{}', $2, case when n % 2 = 1 then $2::timestamptz end, n % 2 = 1
     from connections, generate_series(1, 20000) n where id = $1`,
    [connectionId, world.clock.now()],
  );
  await world.sql('analyze posts');
  const { sql } = statements.get('add sent posts to the daily metrics') ?? { sql: '' };

  const plan = await world.sql<{ 'QUERY PLAN': string }>(`explain ${sql}`, [world.clock.now()]);

  expect(plan.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using posts_uncounted_index/);
});
