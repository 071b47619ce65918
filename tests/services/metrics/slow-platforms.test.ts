/** Platforms that answer reads of metrics slowly do not keep a worker from the reads of others. */
import { afterAll, beforeEach, expect, it } from 'vitest';
import { readDueMetrics } from '../../../services/metrics/read-due-metrics.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const now = () => world.clock.now();
const bluesky = await startFakeBluesky({ now });
const xServer = await startFakeX({ now });
const world = await startWorld({
  env: { BLUESKY_SERVICE_URL: bluesky.url, BLUESKY_APPVIEW_URL: bluesky.url, X_API_URL: xServer.url },
});
afterAll(() => Promise.all([bluesky.close(), xServer.close()]));
beforeEach(() => world.sql('update posts set next_read_at = null'));

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Runs a round in which every call to a platform takes half a minute. */
async function readSlowly(): Promise<void> {
  const { clock, fetch } = world.context;
  let calls = 0;
  const slow: typeof fetch = async (url, init) => {
    const answer = await fetch(url, init);
    calls += 1;
    return answer;
  };
  const context = {
    ...world.context,
    clock: { ...clock, elapsed: () => clock.elapsed() + calls * (MINUTE / 2) },
    fetch: slow,
  };
  await readDueMetrics(context, new AbortController().signal);
}

const readPosts = async () => {
  const [row] = await world.sql<{ posts: number }>('select count(distinct post_id)::int as posts from metrics_reads');
  return row?.posts ?? 0;
};

it('get no further call in a round, and their other posts are read five minutes later', async () => {
  bluesky.addAccount('alice.test', 'abcd-efgh-ijkl-mnop');
  const { key } = await makeAccount(world);
  const credentials = { identifier: 'alice.test', appPassword: 'abcd-efgh-ijkl-mnop' };
  await world.rest('POST /connections', { key, body: { platformId: 'bluesky', credentials, slug: 'bells' } });
  for (let post = 1; post <= 30; post += 1) await makePost(world, 'bells', { key, text: `Ding ${post}` });
  world.clock.advance(HOUR);
  const before = await readPosts();

  await readSlowly();
  const first = (await readPosts()) - before;
  await world.advance(5 * MINUTE - 1);
  const meanwhile = (await readPosts()) - before;
  await world.advance(1);

  expect([first, meanwhile, (await readPosts()) - before]).toEqual([25, 25, 30]);
});

it('leave the posts of connections that were not reached to the next round', async () => {
  const accounts = Array.from({ length: 21 }, (_, index) => index);
  for (const index of accounts) {
    xServer.addAccount(`bell${index}`, `token-${index}`);
    const account = await makeAccount(world);
    await world.sql(`update accounts set x_analytics = true, plan = 'unlimited' where id = $1`, [account.id]);
    const body = { platformId: 'x', credentials: { accessToken: `token-${index}` }, slug: 'x' };
    await world.rest('POST /connections', { key: account.key, body });
    await makePost(world, 'x', { key: account.key, text: `Dong ${index}` });
  }
  world.clock.advance(HOUR);
  const before = await readPosts();

  await readSlowly();
  const first = (await readPosts()) - before;
  await readSlowly();

  // Twenty connections are read in parallel.
  expect([first, (await readPosts()) - before]).toEqual([20, 21]);
});
