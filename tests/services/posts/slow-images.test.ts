/** A send whose images took long to read keeps its claim while it uploads them. */
import { expect, it } from 'vitest';
import { IMAGES_MS } from '../../../services/media/outgoing-images.ts';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { createPostSender } from '../../../services/sending/create-post-sender.ts';
import { SEND_TIMES } from '../../../services/sending/send-times.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { plain } from '../../harness/images.ts';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

it('a send keeps its claim until its images are uploaded, after a read of the longest time', async () => {
  const { key } = await accountWithSandbox(world);
  const raw = await plain(12, 8).png().toBuffer();
  const { body } = await world.rest('POST /media', { key, raw, headers: { 'content-type': 'image/png' } });
  const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, scheduledFor, media: [{ id: body.media.id }] });
  world.clock.advance(1_000);
  const { sends } = await claimDueSends(world.context);
  const { get } = world.media;
  world.media.get = async (...call) => {
    world.clock.advance(IMAGES_MS);
    return get(...call);
  };
  const { sandbox } = world.context.platforms;
  const upload = sandbox.prepare;
  if (upload === undefined) throw new Error('the sandbox uploads images before it publishes');
  const leftMs: number[] = [];
  const prepare: typeof upload = async (...call) => {
    const [row] = await world.sql<{ at: string }>('select claimed_until as at from posts where id = $1', [postId]);
    leftMs.push(new Date(row?.at ?? 0).getTime() - world.clock.now().getTime());
    return upload(...call);
  };
  const platforms = { ...world.context.platforms, sandbox: { ...sandbox, prepare } };

  const outcomes = await Promise.all(sends.map((send) => createPostSender({ ...world.context, platforms }).send(send)));

  expect(outcomes.map(({ error }) => error)).toEqual([null]);
  expect(leftMs).toEqual([SEND_TIMES.leaseMs]);
});
