/** A draft that waits for approval and fails when it is published: its request ends with it (docs/contract/approvals.md#approving). */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** A draft that waits for approval, of a connection that takes it no longer. */
async function unfitDraft() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const { secret: asking, id: askingId } = await world.key({ accountId, approval: 'required' });
  const body = { text: 'May I?', connectionSlugs: ['sandbox'] };
  const { postId } = (await world.rest('POST /posts', { key: asking, body })).body.results[0];
  await world.rest(`DELETE /connections/${connection.id}`, { key });
  const approvals = async (state: string) =>
    (await world.rest(`GET /approvals?state=${state}`, { key })).body.approvals.map(
      (one: { postId: string; approval: object }) => [one.postId, one.approval],
    );
  const read = async () => (await world.rest(`GET /posts/${postId}`, { key })).body.post;
  return { key, asking, askingId, postId, approvals, read };
}

it.each([
  ['a key that may approve', 'key'],
  ['the key that asked', 'asking'],
] as const)('a draft that fails when %s publishes it no longer waits for approval', async (_, by) => {
  const { postId, approvals, read, ...keys } = await unfitDraft();
  expect(await approvals('pending')).toHaveLength(1);

  const published = await world.rest(`POST /posts/${postId}/publish`, { key: keys[by], body: {} });

  expect([published.status, published.body.error]).toEqual([400, 'invalid_connection']);
  const approval = {
    state: 'void',
    plan: { scheduledFor: null, queue: false },
    requestedAt: expect.any(String),
    requestedBy: { kind: 'key', id: keys.askingId, name: 'A key' },
    expiresAt: expect.any(String),
    decidedAt: world.clock.now().toISOString(),
    decidedBy: expect.objectContaining({ kind: 'key' }),
    reason: 'The draft failed.',
  };
  expect(await read()).toMatchObject({ status: 'failed', approval });
  expect([await approvals('pending'), await approvals('void')]).toEqual([[], [[postId, approval]]]);
});

it('a draft whose approval is refused still waits', async () => {
  const { key, postId, approvals, read } = await unfitDraft();

  const { status, body } = await world.rest(`POST /posts/${postId}/approve`, { key, body: {} });

  expect([status, body.error]).toEqual([400, 'invalid_connection']);
  expect(await read()).toMatchObject({ status: 'draft', approval: { state: 'pending' } });
  expect(await approvals('pending')).toHaveLength(1);
});
