/** Requests about a post that another request changes after they have read it (docs/contract/posts.md). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** An account with a sandbox, the key of its owner, and the key of an agent. */
async function tenant({ rules, approval = 'none' }: { rules?: object; approval?: 'none' | 'required' } = {}) {
  const { key, connection, id } = await accountWithSandbox(world);
  const { secret: agent, id: agentId } = await world.key({ accountId: id, approval });
  if (rules !== undefined) await world.rest(`PUT /policies/${agentId}`, { key, body: rules });
  return {
    key,
    agent,
    agentId,
    connection,
    post: async (fields: object = {}, by = agent) => {
      const body = { text: 'Ding', connectionSlugs: ['sandbox'], ...fields };
      return (await world.rest('POST /posts', { key: by, body })).body.results[0];
    },
    published: async () => (await sandboxOf(world, connection.id)).map(({ text }) => text),
    holdPolicy: () => holdRows(world, 'select id from policies where id = $1 for update', [agentId]),
    holdKey: () => holdRows(world, 'select id from api_keys where id = $1 for update', [agentId]),
  };
}

// Each test needs a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('moving a post into the queue under a policy', () => {
  it('is not in the way of ordering that queue', async () => {
    const { key, agent, connection, post } = await tenant({ rules: { postsPerDay: 50 } });
    const slots = [0, 1, 2, 3, 4, 5, 6].map((weekday) => ({ weekday, time: '09:00' }));
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { slots } });
    const { postId: one } = await post({ queue: true });
    const { postId: other } = await post({ queue: true });
    // The policy reads the images of the post.
    const held = await holdRows(world, 'lock table post_media in access exclusive mode');
    const moving = world.rest(`POST /posts/${one}/reschedule`, { key: agent, body: { queue: true } });
    await held.waiting(1);
    const ordering = world.rest(`PUT /connections/${connection.id}/queue/order`, {
      key,
      body: { postIds: [other, one] },
    });
    await held.waiting(2, ordering);

    await held.release();

    const [moved, ordered] = await Promise.all([moving, ordering]);
    expect([moved.status, moved.body.result?.status, ordered.status]).toEqual([200, 'scheduled', 200]);
  });
});
