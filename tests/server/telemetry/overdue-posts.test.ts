/** The metrics of overdue posts, while a platform has asked to wait (docs/operations.md#metrics). */
import { afterAll, expect, it } from 'vitest';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeBluesky } from '../../platforms/fakes/fake-bluesky.ts';

const server = await startFakeBluesky({ now: () => world.clock.now() });
afterAll(() => server.close());
const world = await startWorld({ env: { BLUESKY_SERVICE_URL: server.url } });
for (const slug of ['alice', 'bob']) {
  server.addAccount(`${slug}.test`, 'password');
  const credentials = { identifier: `${slug}.test`, appPassword: 'password' };
  await world.rest('POST /connections', { body: { platformId: 'bluesky', credentials, slug } });
}

/** How many posts are overdue, and for how many seconds the first of them is. */
async function overdue(): Promise<(string | undefined)[]> {
  const text = await (await fetch(`${world.url}/metrics`)).text();
  return ['carillon_posts_overdue', 'carillon_posts_overdue_seconds'].map(
    (name) => new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1],
  );
}

it('a post is overdue from the end of the time that its platform asked to wait', async () => {
  const scheduledFor = new Date(world.clock.now().getTime() + 10_000).toISOString();
  await makePost(world, 'alice', { text: 'waits', scheduledFor });
  await makePost(world, 'bob', { text: 'late', scheduledFor });
  // The fake asks to wait for 30 seconds.
  server.faults.push('rate_limited');
  await makePost(world, 'alice', { text: 'refused' });

  world.clock.advance(25_000);
  const whileWaiting = await overdue();
  await world.runDue();
  const withoutLate = await overdue();
  world.clock.advance(20_000);
  const afterwards = await overdue();
  await world.runDue();

  expect([whileWaiting, withoutLate, afterwards, await overdue()]).toEqual([
    ['1', '15'],
    ['0', '0'],
    ['1', '15'],
    ['0', '0'],
  ]);
});
