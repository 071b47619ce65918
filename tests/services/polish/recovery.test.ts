/**
 * A process dies during a rewrite: the worker that recovers the send uses the same text, and no post gets two rewrites.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { claimInterruptedSends } from '../../../services/sending/claim-interrupted-sends.ts';
import type { ClaimedSend } from '../../../services/sending/claimed-send.ts';
import { polishSend } from '../../../services/sending/polish-send.ts';
import { sendPost } from '../../../services/sending/send-post.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { awayOnce } from '../../harness/interleave.ts';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { polished } from '../../platforms/fakes/fake-model.ts';

const { world, model } = await startPolishedWorld({ ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64') });

beforeEach(() => {
  model.asked.length = 0;
  model.answer = ({ text }) => polished(text);
});

/** A due post that a worker has claimed. */
async function claimedPost({ text = 'Helo', mode = 'on' } = {}) {
  const { key, connection } = await accountWithSandbox(world);
  const settings = (rewriteMode: string) =>
    world.rest(`PATCH /connections/${connection.id}/settings`, { key, body: { rewriteMode } });
  await settings(mode);
  const scheduledFor = new Date(world.clock.now().getTime() + 1_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, text, scheduledFor });
  world.clock.advance(1_000);
  const [claimed] = (await claimDueSends(world.context)).sends;
  if (claimed?.post.id !== postId) throw new Error('another post was due');
  const read = async () => (await world.rest(`GET /posts/${postId}`, { key })).body.post;
  return { postId, connection, claimed, settings, read };
}

/** What a search finds the post by, without the id of its account. */
async function wordsOf(postId: string): Promise<string | undefined> {
  const [row] = await world.sql<{ words: string }>('select words::text from post_words where post_id = $1', [postId]);
  return row?.words.replace(/[0-9a-f-]{36}/, '');
}

/** Waits until the lease of the claim has expired, and runs a worker. */
const recover = () => world.advance(60_000);

it.each(['before', 'after'] as const)(
  'a database that goes away %s it stores the rewrite does not end the send',
  async (when) => {
    const undisturbed = await claimedPost({ text: 'Helo again' });
    await polishSend(world.context, undisturbed.claimed);
    const { postId, connection, claimed, read } = await claimedPost({ text: 'Helo again' });

    const { claimed: send } = await polishSend(awayOnce(world.context, 'update post_words', when), claimed);
    await world.context.sends.send(send);

    expect(send).toMatchObject({ interrupted: false, post: { text: 'Polished Helo again' } });
    expect(await read()).toMatchObject({ text: 'Polished Helo again', status: 'sent', aiRewriteStatus: 'rewritten' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ calls: 1 }]);
    expect(await wordsOf(postId)).toBe(await wordsOf(undisturbed.postId));
    expect(model.asked).toHaveLength(2);
  },
);

describe('a process that dies', () => {
  it('during the model request leaves the request to the worker that recovers the send', async () => {
    const { connection, read } = await claimedPost();
    const before = await read();

    await recover();

    expect(before).toMatchObject({ text: 'Helo', status: 'processing', aiRewriteStatus: null });
    expect(await read()).toMatchObject({ text: 'Polished Helo', status: 'sent', aiRewriteStatus: 'rewritten' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo', calls: 1 }]);
  });

  it('between rewrite and platform call leaves its text to the worker that recovers the send', async () => {
    const { connection, claimed, read } = await claimedPost();
    await polishSend(world.context, claimed);
    const before = await read();
    model.answer = () => 'Another text';

    await recover();

    expect(before).toMatchObject({ text: 'Polished Helo', originalText: 'Helo', status: 'processing' });
    expect(await read()).toMatchObject({ text: 'Polished Helo', status: 'sent', aiRewriteStatus: 'rewritten' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo', calls: 1 }]);
    expect(model.asked).toHaveLength(1);
  });

  it('after the platform call leaves its text for the recovery, which searches for it', async () => {
    const { postId, connection, claimed, read } = await claimedPost();
    const { claimed: send } = await polishSend(world.context, claimed);
    await sendPost(world.context, send);
    model.answer = () => 'Another text';

    await recover();

    expect(await read()).toMatchObject({ text: 'Polished Helo', status: 'sent' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo', is_up: true }]);
    expect(await eventsAbout(world, postId)).toMatchObject([{ payload: { post: { text: 'Polished Helo' } } }]);
    expect(model.asked).toHaveLength(1);
  });

  it('after the model has failed leaves the original to the worker that recovers the send', async () => {
    const { connection, claimed, read } = await claimedPost();
    model.answer = () => '';
    await polishSend(world.context, claimed);
    model.answer = () => 'Another text';

    await recover();

    expect(await read()).toMatchObject({ text: 'Helo', status: 'sent', aiRewriteStatus: 'failed' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Helo', calls: 1 }]);
    expect(model.asked).toHaveLength(1);
  });

  it('before the model request leaves a post without a rewrite, regardless of later settings', async () => {
    const { connection, claimed, settings, read } = await claimedPost({ mode: 'off' });
    await sendPost(world.context, claimed);
    await settings('on');

    await recover();

    expect(await read()).toMatchObject({ text: 'Helo', status: 'sent', aiRewriteStatus: null });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Helo', is_up: true }]);
    expect(model.asked).toEqual([]);
  });
});

describe('a post that is repeated because its platform was unavailable', () => {
  it.each([
    ['the text that the model gave', 'Rung [[unavailable]]', 'Rung [[unavailable]]', 'rewritten'],
    ['its own text, when the model failed', '', 'Helo [[unavailable]]', 'failed'],
  ] as const)('keeps %s, without a second model request', async (_case, reply, text, aiRewriteStatus) => {
    model.answer = () => reply;
    const { postId, claimed, read } = await claimedPost({ text: 'Helo [[unavailable]]' });
    await world.context.sends.send(claimed);
    const before = await read();
    const asked = model.asked.length;
    model.answer = () => 'Another text';

    for (const minutes of [1, 5, 15]) await world.advance(minutes * 60_000);

    expect(before).toMatchObject({ status: 'scheduled', text, aiRewriteStatus });
    expect(await read()).toMatchObject({ status: 'failed', text, aiRewriteStatus });
    expect(model.asked).toHaveLength(asked);
    const [row] = await world.sql('select tries from posts where id = $1', [postId]);
    expect(row).toEqual({ tries: 4 });
  });

  it('keeps its text if a rewrite is enabled in the meantime', async () => {
    const { claimed, settings, read } = await claimedPost({ text: 'Helo [[unavailable]]', mode: 'off' });
    await world.context.sends.send(claimed);
    await settings('on');

    await world.advance(60_000);

    expect(await read()).toMatchObject({ status: 'scheduled', text: 'Helo [[unavailable]]', aiRewriteStatus: null });
    expect(model.asked).toEqual([]);
  });
});

describe('a claim during the model request', () => {
  it('sends nothing and changes nothing after it was lost', async () => {
    const { connection, claimed, read } = await claimedPost();
    world.clock.advance(60_000);
    const [taken] = await claimInterruptedSends(world.context, 100);
    await world.context.sends.send(taken as ClaimedSend);
    model.answer = () => 'Another text';

    expect(await world.context.sends.send(claimed)).toMatchObject({ error: null });

    expect(await read()).toMatchObject({ text: 'Polished Helo', status: 'sent' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo', calls: 1 }]);
  });

  it('has a full lease for the platform call after the answer of the model', async () => {
    const { claimed, read } = await claimedPost();
    world.clock.advance(10_000);
    const { claimed: send } = await polishSend(world.context, claimed);

    world.clock.advance(59_999);

    expect(await claimInterruptedSends(world.context, 100)).toEqual([]);
    expect(send.attempt?.startedAt).toEqual(new Date(world.clock.now().getTime() - 59_999));
    await world.context.sends.send(send);
    expect(await read()).toMatchObject({ status: 'sent' });
  });
});

describe('a lost answer', () => {
  it('is searched for with the text that was sent', async () => {
    const { connection, read } = await claimedPost({ text: 'Helo [[lost]]' });

    await recover();

    expect(await read()).toMatchObject({ text: 'Polished Helo [[lost]]', status: 'sent' });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ text: 'Polished Helo [[lost]]', is_up: true }]);
  });
});
