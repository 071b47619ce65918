/** Rows whose process died while their post was being sent: they show the outcome of the post (docs/contract/import-export.md#rows). */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

it.each([
  ['was sent', 'Ding', 'sent', null],
  ['failed', 'Ding [[reject]]', 'failed', { code: 'platform_rejected', message: expect.any(String) }],
])('shows that its post %s once another process has settled it', async (_, text, status, error) => {
  const { key } = await accountWithSandbox(world);
  const { send } = world.context.sends;
  world.context.sends.send = async () => {
    throw new Error('killed');
  };
  const body = { format: 'csv', content: `text,connections\n${text},sandbox`, untimed: 'now' };
  const { id } = (await world.rest('POST /imports', { key, body })).body.import;
  await world.runDue();
  world.context.sends.send = send;
  const rows = async () => (await world.rest(`GET /imports/${id}`, { key })).body.rows;
  const during = await rows();

  await world.advance(60_000);

  const { posts } = (await world.rest('GET /posts', { key })).body;
  const result = { connectionSlug: 'sandbox', postId: posts[0].id, scheduledFor: null };
  const row = (outcome: object) => ({ row: 1, status: 'created', results: [{ ...result, ...outcome }], error: null });
  expect(during).toEqual([row({ status: 'processing', error: null })]);
  expect(await rows()).toEqual([row({ status, error })]);
  expect(posts).toMatchObject([{ status, error }]);
});
