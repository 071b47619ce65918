/** GET /posts/{postId}/attempts lists every platform call for a post with its outcome. */
import { describe, expect, it } from 'vitest';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

describe('200', () => {
  it('lists the send and the delete, oldest first', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const sentAt = world.clock.now().toISOString();
    const { postId } = await makePost(world, 'sandbox', { key });
    world.clock.advance(60_000);
    const deletedAt = world.clock.now().toISOString();
    await world.rest(`DELETE /posts/${postId}`, { key });

    const { status, body } = await world.rest(`GET /posts/${postId}/attempts`, { key });

    expect(status).toBe(200);
    const [row] = await sandboxOf(world, connection.id);
    const common = { id: UUID, index: 0, state: 'accepted', platformPostId: row?.id, error: null };
    expect(body).toEqual({
      attempts: [
        { ...common, step: 'head', startedAt: sentAt, settledAt: sentAt },
        { ...common, step: 'delete', startedAt: deletedAt, settledAt: deletedAt },
      ],
      nextCursor: null,
    });
  });

  it('is empty for a scheduled post', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: '2026-12-01T09:00:00Z' });

    const { status, body } = await world.rest(`GET /posts/${postId}/attempts`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ attempts: [], nextCursor: null });
  });

  it('shows a call that is in progress', async () => {
    const { key } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });
    world.clock.advance(61_000);
    const { sends: claimed } = await claimDueSends(world.context);

    const { body } = await world.rest(`GET /posts/${postId}/attempts`, { key });

    await Promise.all(claimed.map((send) => world.context.sends.send(send)));
    expect(body).toEqual({
      attempts: [
        {
          id: UUID,
          step: 'head',
          index: 0,
          state: 'sending',
          startedAt: world.clock.now().toISOString(),
          settledAt: null,
          platformPostId: null,
          error: null,
        },
      ],
      nextCursor: null,
    });
  });

  it.each([
    ['[[reject]]', 'rejected', 'platform_rejected'],
    ['[[unavailable]]', 'unavailable', 'platform_unavailable'],
    ['[[reconnect]]', 'rejected', 'reconnect_required'],
    ['[[vanish]]', 'unknown', 'outcome_unknown'],
  ])('shows the outcome of %s with the code and message of the post’s error', async (text, state, code) => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, text });
    const post = await world.rest(`GET /posts/${postId}`, { key });

    const { body } = await world.rest(`GET /posts/${postId}/attempts`, { key });

    const at = world.clock.now().toISOString();
    expect(post.body.post.error).toEqual({ code, message: expect.any(String) });
    expect(body).toEqual({
      attempts: [
        {
          id: UUID,
          step: 'head',
          index: 0,
          state,
          startedAt: at,
          settledAt: at,
          platformPostId: null,
          error: post.body.post.error,
        },
      ],
      nextCursor: null,
    });
  });
});

describe('400 invalid_request', () => {
  it('is the answer for an id that is not a UUID', async () => {
    const { status, body } = await world.rest('GET /posts/latest/attempts');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'postId: expected a UUID.', {
        details: [{ path: 'postId', expected: 'a UUID', received: 'latest' }],
      }),
    );
  });
});

describe('404 not_found', () => {
  it('is the answer for an unknown id', async () => {
    const { status, body } = await world.rest(`GET /posts/${UNKNOWN_ID}/attempts`);

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `No post of yours has the id ${UNKNOWN_ID}.`));
  });

  it('is the answer for another account’s post', async () => {
    const [one, other] = [await makeAccount(world), await accountWithSandbox(world)];
    const { postId } = await makePost(world, 'sandbox', { key: other.key });

    const { status, body } = await world.rest(`GET /posts/${postId}/attempts`, { key: one.key });

    expect(status).toBe(404);
    expect(body).toEqual(refusal('not_found', `No post of yours has the id ${postId}.`));
  });
});

describe('pages', () => {
  it('list every attempt once, oldest first', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[unavailable]]' });
    for (let tries = 0; tries < 2; tries += 1) await world.rest(`POST /posts/${postId}/retry`, { key, body: {} });
    const read = async (search: string) => (await world.rest(`GET /posts/${postId}/attempts${search}`, { key })).body;
    const all = (await read('')).attempts;

    const first = await read('?limit=2');
    const second = await read(`?limit=2&cursor=${first.nextCursor}`);

    expect(all).toHaveLength(3);
    expect(first).toEqual({ attempts: all.slice(0, 2), nextCursor: all[1].id });
    expect(second).toEqual({ attempts: all.slice(2), nextCursor: null });
  });
});
