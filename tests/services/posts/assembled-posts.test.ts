/**
 * Interrupted sends on a platform with separate steps to create and publish are finished, and never published twice.
 */
import { afterAll, expect, it } from 'vitest';
import { openSession } from '../../../services/connections/open-session.ts';
import { platformIo } from '../../../services/platform-io.ts';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { keepPrepared } from '../../../services/sending/ledger.ts';
import { startWorld } from '../../harness/world.ts';
import { makePost } from '../../harness/posts.ts';
import { startFakeThreads } from '../../platforms/fakes/fake-threads.ts';

const threads = await startFakeThreads({ now: () => world.clock.now() });
const world = await startWorld({ env: { THREADS_API_URL: threads.url } });
afterAll(() => threads.close());
threads.addAccount('24000000000000001', 'thebells', 'token-of-threads');
await world.rest('POST /connections', {
  body: { platformId: 'threads', slug: 'threads', credentials: { accessToken: 'token-of-threads' } },
});

/** A claimed post whose worker began to send it; `until` is the step at which the worker died. */
async function cutOff(text: string, until: 'claimed' | 'handed over' | 'published'): Promise<string> {
  const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
  const { postId } = await makePost(world, 'threads', { text, scheduledFor });
  world.clock.advance(1_000);
  const {
    sends: [claimed],
  } = await claimDueSends(world.context);
  if (claimed?.post.id !== postId || claimed.attempt === null) throw new Error('another post was due');
  const io = platformIo(world.context, 1_000);
  const { threads: platform } = world.context.platforms;
  const session = openSession(world.context, platform, claimed.connection);
  if (until !== 'claimed') {
    const prepared = (await platform.assemble?.(session, { text, images: [] }, io)) ?? null;
    const attempt = await keepPrepared(world.context, claimed, claimed.attempt, prepared);
    if (until === 'published') await platform.publish(session, { ...attempt, text }, io);
  }
  await world.sql('update posts set claimed_until = $2 where id = $1', [postId, world.clock.now()]);
  return postId;
}

async function read(postId: string) {
  const { body } = await world.rest(`GET /posts/${postId}`);
  return body.post;
}

const ofText = <Thing extends { readonly text: string }>(things: readonly Thing[], text: string) =>
  things.filter((thing) => thing.text === text);

it.each(['claimed', 'handed over', 'published'] as const)(
  'a send that was %s when its worker died is finished by another worker, with one post',
  async (until) => {
    const text = `cut off: ${until}`;
    const postId = await cutOff(text, until);

    await world.runDue();

    const [post] = ofText(threads.posts(), text);
    expect(await read(postId)).toMatchObject({
      status: 'sent',
      url: `https://www.threads.net/@someone/post/${post?.id}/`,
    });
    expect([ofText(threads.posts(), text).length, ofText(threads.containers(), text).length]).toEqual([1, 1]);
  },
);

it('a send whose container has expired is not published, and is sent again', async () => {
  const postId = await cutOff('expired', 'handed over');
  for (const container of ofText(threads.containers(), 'expired')) container.state = 'EXPIRED';

  await world.runDue();
  const waiting = await read(postId);
  await world.advance(60_000);

  expect(waiting).toMatchObject({ status: 'scheduled', error: null });
  expect([(await read(postId)).status, ofText(threads.posts(), 'expired').length]).toEqual(['sent', 1]);
});

it('a lost post beside one with the same text is sent, without the permalink of either', async () => {
  const first = await makePost(world, 'threads', { text: 'twin' });
  threads.faults.push('drops_after');

  const { postId } = await makePost(world, 'threads', { text: 'twin' });

  const container = ofText(threads.containers(), 'twin').at(-1);
  expect(await read(postId)).toMatchObject({ status: 'sent', platformPostId: container?.id, url: null, error: null });
  expect([first.status, ofText(threads.posts(), 'twin').length]).toEqual(['sent', 2]);
});

it('a lost post that the list does not show yet is sent, and not taken for one with the same text', async () => {
  const first = await makePost(world, 'threads', { text: 'unlisted twin' });
  const id = (await read(first.postId)).platformPostId;
  const listed = { id, text: 'unlisted twin', timestamp: world.clock.now().toISOString(), permalink: first.url };
  threads.answers['GET /me/threads'] = [{ status: 200, json: { data: [listed] } }];
  threads.faults.push('drops_after');

  const { postId } = await makePost(world, 'threads', { text: 'unlisted twin' });

  const container = ofText(threads.containers(), 'unlisted twin').at(-1);
  expect(await read(postId)).toMatchObject({ status: 'sent', platformPostId: container?.id, url: null, error: null });
  expect(threads.answers['GET /me/threads']).toEqual([]);
});
