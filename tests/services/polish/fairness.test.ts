/**
 * A model that does not respond delays only the posts that wait for it. They use at most half of the concurrency limit.
 */
import { expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { makePost } from '../../harness/posts.ts';

const { world, model } = await startPolishedWorld();

/** More than one tick claims. */
const BACKLOG = 1_100;

/** The part of the sandbox's concurrency limit that posts waiting for a model may use. */
const MODEL_SHARE = 100;

/** Posts of one account that fall due in a minute and request a rewrite. */
async function backlog(): Promise<void> {
  const { key, connection } = await accountWithSandbox(world);
  await world.rest(`PATCH /connections/${connection.id}/settings`, { key, body: { rewriteMode: 'on' } });
  const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });
  await world.sql(
    `insert into posts select (jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid()))).*
     from posts p, generate_series(2, $2) where p.id = $1`,
    [postId, BACKLOG],
  );
}

it('sends posts without polish before two backlogs that wait for the model', async () => {
  await backlog();
  await backlog();
  const { key } = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 61_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });
  world.clock.advance(61_000);
  const released = Promise.withResolvers<string>();
  model.answer = () => released.promise;

  const first = await claimDueSends(world.context);
  const sending = first.sends.map((send) => world.context.sends.send(send));
  const second = await claimDueSends(world.context);
  const plain = first.sends.findIndex(({ post }) => post.id === postId);
  const outcome = await sending[plain];
  released.resolve('Hello');
  await Promise.all(sending);

  expect(first.sends.filter(({ post }) => post.aiRewriteStatus === 'pending')).toHaveLength(MODEL_SHARE);
  expect(outcome).toMatchObject({ error: null, threadCount: 0 });
  expect(second.sends).toEqual([]);
});
