/** Posts that are approved while others act on them, such as the key that asked (docs/contract/approvals.md). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { holdRows } from '../../harness/hold-rows.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const ALLOWANCE = { next: { posts: 5 } };

/** An account whose key that has to ask has an allowance, and a draft that it asked for before. */
async function withAllowance(plan: 'free' | 'pro') {
  const { key, id: accountId } = await accountWithSandbox(world);
  await world.sql('update accounts set plan = $2 where id = $1', [accountId, plan]);
  const { secret: asking, id: askingId } = await world.key({ accountId, approval: 'required' });
  const ask = async (): Promise<string> => {
    const body = { text: 'May I?', connectionSlugs: ['sandbox'] };
    return (await world.rest('POST /posts', { key: asking, body })).body.results[0].postId;
  };
  const approve = (postId: string) => world.rest(`POST /posts/${postId}/approve`, { key, body: ALLOWANCE });
  const [postId, other] = [await ask(), await ask()];
  expect((await approve(other)).status).toBe(200);
  return { key, accountId, asking, askingId, postId, approve };
}

// These tests need a second connection to the database.
describe.skipIf(world.db.engine !== 'postgres')('a post that is approved with an allowance', () => {
  it('goes out once when the key that asked publishes it at that moment', async () => {
    const { accountId, asking, postId, approve } = await withAllowance('free');
    const held = await holdRows(world, 'select id from accounts where id = $1 for no key update', [accountId]);
    const approving = approve(postId);
    await held.waiting(1);
    const publishing = world.rest(`POST /posts/${postId}/publish`, { key: asking, body: {} });
    await held.waiting(2, publishing);

    await held.release();

    expect([(await approving).status, (await publishing).status]).toEqual([200, 404]);
  });

  it('goes out when its key is revoked at that moment, and the key ends', async () => {
    const { key, askingId, postId, approve } = await withAllowance('pro');
    const held = await holdRows(world, 'select id from approvals where post_id = $1 for update', [postId]);
    const approving = approve(postId);
    await held.waiting(1);
    const revoking = world.rest(`DELETE /keys/${askingId}`, { key });
    await held.waiting(2, revoking);

    await held.release();

    expect([(await approving).status, (await revoking).status]).toEqual([200, 200]);
    expect(await world.sql('select id from approval_allowances where id = $1', [askingId])).toEqual([]);
  });
});

describe.skipIf(world.db.engine !== 'postgres')('a post that is approved for its time', () => {
  it('and a request that puts it into the queue do not wait for each other', async () => {
    const { key, id: accountId, connection } = await accountWithSandbox(world);
    const slots = [{ weekday: 1, time: '09:00' }];
    await world.rest(`PATCH /connections/${connection.id}/queue`, { key, body: { timezone: 'UTC', slots } });
    const { secret: asking } = await world.key({ accountId, approval: 'required' });
    const scheduledFor = new Date(+world.clock.now() + 3_600_000).toISOString();
    const body = { text: 'May I?', connectionSlugs: ['sandbox'], scheduledFor };
    const { postId } = (await world.rest('POST /posts', { key: asking, body })).body.results[0];
    const held = await holdRows(world, 'select id from connections where id = $1 for update', [connection.id]);
    const queueing = world.rest(`POST /posts/${postId}/publish`, { key, body: { queue: true } });
    await held.waiting(1, queueing);
    const approving = world.rest(`POST /posts/${postId}/approve`, { key, body: {} });
    await held.waiting(2, approving);

    await held.release();

    expect([(await queueing).status, (await approving).status]).toEqual([200, 409]);
    expect((await approving).body.error).toBe('approval_not_pending');
  });
});
