/**
 * A model that does not respond delays only the posts that wait for it. They use at most half of the concurrency limit, and
 * immediate posts nothing.
 */
import { afterEach, expect, it, vi } from 'vitest';
import { scheduledPosts } from '../../../jobs/scheduled-posts.ts';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
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

afterEach(async () => {
  await world.sql(`delete from posts where status = 'scheduled'`);
});

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

it('rewrites and sends scheduled posts on time while it is slow with immediate ones of another account', async () => {
  const { context, clock } = world;
  const sandbox = { ...context.platforms.sandbox, concurrency: { perProcess: 2, perConnection: 1 } };
  const [busy, other] = [await accountWithSandbox(world), await accountWithSandbox(world)];
  await connectSandbox(world, { key: busy.key, slug: 'second' });
  const scheduledFor = new Date(clock.now().getTime() + 1_000).toISOString();
  const { body: stored } = await world.rest('POST /posts', {
    key: other.key,
    body: { text: 'Helo', connectionSlugs: ['sandbox'], rewrite: true, scheduledFor },
  });
  const released = Promise.withResolvers<string>();
  model.answer = ({ text }) => (text === 'Slow' ? released.promise : 'Hello');
  const body = { text: 'Slow', connectionSlugs: ['sandbox', 'second'], rewrite: true };
  const posting = world.rest('POST /posts', { key: busy.key, body });
  await vi.waitFor(() => expect(model.asked.filter(({ text }) => text === 'Slow')).toHaveLength(2));
  clock.advance(1_000);

  const limited = { ...context, platforms: { ...context.platforms, sandbox } };
  const begun = await scheduledPosts.run(limited, new AbortController().signal);

  expect(begun).toBe(1);
  await vi.waitFor(() => expect(context.sends.inFlight).toBe(2));
  const { body: read } = await world.rest(`GET /posts/${stored.results[0].postId}`, { key: other.key });
  expect(read.post).toMatchObject({
    status: 'sent',
    text: 'Hello',
    aiRewriteStatus: 'rewritten',
    sentAt: scheduledFor,
  });
  released.resolve('Slower');
  const { results } = (await posting).body;
  expect(results.map(({ status }: { status: string }) => status)).toEqual(['sent', 'sent']);
});
