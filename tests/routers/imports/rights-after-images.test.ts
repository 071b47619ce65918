/** Rows whose sender loses rights, or gets a policy, while their images are fetched (docs/contract/policies.md#when-it-is-checked). */
import { expect, it } from 'vitest';
import { runImports } from '../../../services/imports/run-imports.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { startSlowImage } from '../../harness/served-images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** What an import of one row is once `change` has happened while the image of the row was fetched. */
async function importWhile(change: (owner: string, keyId: string) => Promise<{ readonly status: number }>) {
  const { key: owner, id: accountId } = await accountWithSandbox(world);
  const sender = await world.key({ accountId });
  const image = await startSlowImage();
  image.appear();
  const content = JSON.stringify([{ text: 'Ding', connectionSlugs: ['sandbox'], images: [{ url: image.url }] }]);
  const body = { format: 'json', content, untimed: 'now' };
  const started = await world.rest('POST /imports', { key: sender.secret, body });
  const turn = runImports(world.context, new AbortController().signal);
  await image.asked(1);
  expect((await change(owner, sender.id)).status).toBe(200);
  image.answer();
  await turn;
  const after = await world.rest(`GET /imports/${started.body.import.id}`, { key: owner });
  const { posts } = (await world.rest('GET /posts', { key: owner })).body;
  return { ...after.body, posts };
}

it('a row of a key that is revoked meanwhile stays pending, and its import ends', async () => {
  const { import: one, rows, posts } = await importWhile((key, id) => world.rest(`DELETE /keys/${id}`, { key }));

  expect(posts).toEqual([]);
  expect(rows).toEqual([{ row: 1, status: 'pending', results: [], error: null }]);
  expect(one).toMatchObject({
    status: 'cancelled',
    error: 'The key, agent or role that started the import has ended. Send the file again to go on.',
    counts: { pending: 1, created: 0, failed: 0 },
  });
});

it('a row of a key that gets a policy meanwhile follows it', async () => {
  const { rows, posts } = await importWhile((key, id) =>
    world.rest(`PUT /policies/${id}`, { key, body: { approvalAlways: true } }),
  );

  expect(rows).toMatchObject([{ status: 'created', results: [{ status: 'draft', error: null }], error: null }]);
  expect(posts).toMatchObject([{ status: 'draft', approval: { state: 'pending' } }]);
});
