/** A Mastodon server remembers an Idempotency-Key only once it has stored the status: an interrupted call is not repeated before. */
import { afterAll, expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeMastodon } from '../../platforms/fakes/fake-mastodon.ts';

const CREATE = 'POST /api/v1/statuses';
const now = () => world.clock.now();

const server = await startFakeMastodon({ now: () => now() });
afterAll(() => server.close());
const world = await startWorld();
server.addAccount('alice', 'token-of-alice');
const credentials = { instanceUrl: server.url, accessToken: 'token-of-alice' };
await world.rest('POST /connections', { body: { platformId: 'mastodon', slug: 'alice', credentials } });

/** A post whose process died `ageMs` ago, while its server worked on the call. */
async function interruptedPost(text: string, ageMs: number): Promise<string> {
  const scheduledFor = new Date(now().getTime() + 1_000).toISOString();
  const { postId } = await makePost(world, 'alice', { text, scheduledFor });
  world.clock.advance(1_000);
  await claimDueSends(world.context);
  world.clock.advance(ageMs);
  await world.sql('update posts set claimed_until = $2 where id = $1', [postId, now()]);
  return postId;
}

/** Stores the status of the first call while the recovery waits. */
function storeDuringWait(text: string): void {
  const { sleep } = world.clock;
  world.clock.sleep = async (ms, signal) => {
    world.clock.sleep = sleep;
    await fetch(`${server.url}/api/v1/statuses`, {
      method: 'POST',
      headers: { authorization: 'Bearer token-of-alice', 'content-type': 'application/json' },
      body: JSON.stringify({ status: text, visibility: 'public' }),
    });
    return sleep(ms, signal);
  };
}

const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post;

it('a status that its server stores meanwhile is found, and not posted again', async () => {
  const postId = await interruptedPost('still being stored', 5_000);
  world.clock.waits.length = 0;
  storeDuringWait('still being stored');

  await world.runDue();

  const { status, platformPostId } = await read(postId);
  expect([status, server.posts().map(({ id }) => id)]).toEqual(['sent', [platformPostId]]);
  expect([world.clock.waits, server.calls[CREATE]]).toEqual([[10_000], 1]);
});

it('a call that is old enough is repeated at once', async () => {
  const postId = await interruptedPost('not stored', 15_000);
  world.clock.waits.length = 0;

  await world.runDue();

  expect([(await read(postId)).status, world.clock.waits]).toEqual(['sent', []]);
});
