/**
 * DELETE /posts/{postId} cancels a pending post and deletes a sent one from its platform. A repeat gets the same
 * answer.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { authenticate } from '../../../services/keys/authenticate.ts';
import type { Caller } from '../../../services/access/caller.ts';
import { claimDueSends } from '../../../services/sending/claim-due-sends.ts';
import type { ClaimedSend } from '../../../services/sending/claimed-send.ts';
import { deletePost } from '../../../services/posts/delete-post.ts';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { afterFirstQuery } from '../../harness/interleave.ts';
import { eventsAbout, makePost, sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

function notFound(id: string) {
  return refusal('not_found', `No post of yours has the id ${id}.`);
}

/** An account with a post that is scheduled a minute from now. */
async function accountWithScheduled() {
  const { key, connection, id: accountId } = await accountWithSandbox(world);
  const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
  const { postId } = await makePost(world, 'sandbox', { key, scheduledFor });
  return { key, accountId, postId, connectionId: connection.id };
}

async function accountWithDraft(): Promise<{ key: string; postId: string }> {
  const { key } = await accountWithSandbox(world);
  const body = { text: 'Ding', connectionSlugs: ['sandbox'], isDraft: true };
  return { key, postId: (await world.rest('POST /posts', { key, body })).body.results[0].postId };
}

const soon = () => new Date(world.clock.now().getTime() + 120_000).toISOString();

async function statusOf(postId: string): Promise<string | undefined> {
  const [row] = await world.sql<{ status: string }>('select status from posts where id = $1', [postId]);
  return row?.status;
}

describe('200, a scheduled post', () => {
  it('is cancelled and never sent, and nothing is emitted', async () => {
    const { key, postId, connectionId } = await accountWithScheduled();

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key });
    await world.advance(60_000);

    expect(status).toBe(200);
    expect(body).toEqual({ id: postId, status: 'cancelled' });
    expect(await statusOf(postId)).toBe('cancelled');
    expect(await sandboxOf(world, connectionId)).toEqual([]);
    expect(await eventsAbout(world, postId)).toEqual([]);
  });

  it('answers a repeat with the same body', async () => {
    const { key, postId } = await accountWithScheduled();
    const first = await world.rest(`DELETE /posts/${postId}`, { key });

    const second = await world.rest(`DELETE /posts/${postId}`, { key });

    expect([second.status, second.body]).toEqual([200, first.body]);
  });

  it('answers two concurrent cancels with the same body', async () => {
    const { key, postId } = await accountWithScheduled();

    const answers = await Promise.all([1, 2].map(() => world.rest(`DELETE /posts/${postId}`, { key })));

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { id: postId, status: 'cancelled' }],
      [200, { id: postId, status: 'cancelled' }],
    ]);
  });

  it('is either cancelled or sent when a cancel races with the worker, never both', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const scheduledFor = new Date(world.clock.now().getTime() + 60_000).toISOString();
    const posts = await Promise.all(
      Array.from({ length: 20 }, () => makePost(world, 'sandbox', { key, scheduledFor })),
    );
    world.clock.advance(60_000);

    const [answers] = await Promise.all([
      Promise.all(posts.map(({ postId }) => world.rest(`DELETE /posts/${postId}`, { key }))),
      world.runDue(),
    ]);

    const cancelled = answers.filter(({ body }) => body.status === 'cancelled');
    const rows = await sandboxOf(world, connection.id);
    expect(cancelled.length + rows.length).toBe(20);
    for (const { body } of cancelled) expect(await eventsAbout(world, body.id)).toEqual([]);
  });
});

describe('200, a sent post', () => {
  it('is deleted from its platform', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    world.clock.advance(5_000);
    const deletedAt = world.clock.now().toISOString();

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({ id: postId, status: 'deleted', deletedAt });
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ is_up: false }]);
    const read = await world.rest(`GET /posts/${postId}`, { key });
    expect(read.body.post).toMatchObject({ status: 'deleted', deletedAt, platformPostId: UUID, error: null });
  });

  it('emits post.deleted', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, profileId: profile.id });
    const { postId } = await makePost(world, 'sandbox', { key });
    const deletedAt = world.clock.now().toISOString();

    await world.rest(`DELETE /posts/${postId}`, { key });

    const [, ...deleted] = await eventsAbout(world, postId);
    expect(deleted).toEqual([
      {
        id: UUID,
        account_id: accountId,
        profile_id: profile.id,
        name: 'post.deleted',
        mode: 'live',
        payload: {
          post: { id: postId, connectionSlug: 'sandbox', platformId: 'sandbox', deletedAt, profileId: profile.id },
        },
        created_at: deletedAt,
      },
    ]);
  });

  it('answers a repeat with the same body, without a platform call or an event', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    const first = await world.rest(`DELETE /posts/${postId}`, { key });
    world.clock.advance(5_000);

    const second = await world.rest(`DELETE /posts/${postId}`, { key });

    expect([second.status, second.body]).toEqual([200, first.body]);
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent', 'post.deleted']);
    const { body } = await world.rest(`GET /posts/${postId}/attempts`, { key });
    expect(body.attempts.map(({ step }: { step: string }) => step)).toEqual(['head', 'delete']);
  });

  it('is deleted once when two deletes race', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    const deletedAt = world.clock.now().toISOString();

    const answers = await Promise.all([1, 2].map(() => world.rest(`DELETE /posts/${postId}`, { key })));

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [200, { id: postId, status: 'deleted', deletedAt }],
      [200, { id: postId, status: 'deleted', deletedAt }],
    ]);
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent', 'post.deleted']);
  });

  it('can be deleted with a scoped key of its profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, profileId: profile.id });
    const { postId } = await makePost(world, 'sandbox', { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status } = await world.rest(`DELETE /posts/${postId}`, { key: scoped.secret });

    expect(status).toBe(200);
    expect(await statusOf(postId)).toBe('deleted');
  });
});

describe('400 delete_unsupported', () => {
  it('is the answer for an id that is not a UUID', async () => {
    const { status, body } = await world.rest('DELETE /posts/latest');

    expect(status).toBe(400);
    expect(body).toEqual(refusal('delete_unsupported', 'postId: "latest" is not the id of a post.'));
  });

  it('is the answer for a failed post, which stays failed', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[reject]]' });

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key });

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('delete_unsupported', 'This post is failed: it was never published, so there is nothing to take down.'),
    );
    expect(await statusOf(postId)).toBe('failed');
  });

  it('is the answer for a post on a platform without a delete operation, which stays published', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    const { sandbox } = world.context.platforms;
    const asItWas = { ...sandbox };
    Object.assign(sandbox, { remove: undefined });
    onTestFinished(() => {
      Object.assign(sandbox, asItWas);
    });

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key });

    expect(status).toBe(400);
    expect(body).toEqual(refusal('delete_unsupported', 'Sandbox has no way to delete a post.'));
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ is_up: true }]);
  });
});

describe('404 not_found', () => {
  it('is the answer for an unknown id', async () => {
    const { status, body } = await world.rest(`DELETE /posts/${UNKNOWN_ID}`);

    expect(status).toBe(404);
    expect(body).toEqual(notFound(UNKNOWN_ID));
  });

  it('is the answer for another account’s post, which stays published', async () => {
    const [one, other] = [await makeAccount(world), await accountWithSandbox(world)];
    const { postId } = await makePost(world, 'sandbox', { key: other.key });

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key: one.key });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
    expect(await sandboxOf(world, other.connection.id)).toMatchObject([{ is_up: true }]);
  });

  it('is the answer for a post outside the profile of a scoped key, which stays scheduled', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const { postId } = await makePost(world, 'sandbox', { key, scheduledFor: '2026-12-01T09:00:00Z' });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key: scoped.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
    expect(await statusOf(postId)).toBe('scheduled');
  });
});

describe('409 post_not_cancellable', () => {
  it('is the answer for a post that a worker has claimed, which is still sent', async () => {
    const { key, postId, connectionId } = await accountWithScheduled();
    world.clock.advance(60_000);
    const { sends: claimed } = await claimDueSends(world.context);

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key });
    await Promise.all(claimed.map((send) => world.context.sends.send(send)));

    expect(status).toBe(409);
    expect(body).toEqual(
      refusal(
        'post_not_cancellable',
        'A worker is sending this post at this moment, so it can no longer be cancelled.',
      ),
    );
    expect(await statusOf(postId)).toBe('sent');
    expect(await sandboxOf(world, connectionId)).toHaveLength(1);
  });
});

describe('a concurrent request', () => {
  async function callerOf(key: string): Promise<Caller> {
    const admission = await authenticate(world.context, key);
    if (admission === null) throw new Error('the key is not known');
    return admission.caller;
  }

  it('loses as a cancel if a worker claims the post right after the cancel has read it', async () => {
    const { key, postId, connectionId } = await accountWithScheduled();
    world.clock.advance(60_000);
    const claimed: ClaimedSend[] = [];
    const context = afterFirstQuery(world.context, async () =>
      claimed.push(...(await claimDueSends(world.context)).sends),
    );

    const cancel = deletePost(context, await callerOf(key), postId);

    await expect(cancel).rejects.toMatchObject({ code: 'post_not_cancellable' });
    expect(await statusOf(postId)).toBe('processing');
    await Promise.all(claimed.map((send) => world.context.sends.send(send)));
    expect(await statusOf(postId)).toBe('sent');
    expect(await sandboxOf(world, connectionId)).toHaveLength(1);
  });

  it('succeeds as a second cancel if the first cancels right after the second has read', async () => {
    const { key, postId } = await accountWithScheduled();
    const context = afterFirstQuery(world.context, () => world.rest(`DELETE /posts/${postId}`, { key }));

    const answer = await deletePost(context, await callerOf(key), postId);

    expect(answer).toEqual({ id: postId, status: 'cancelled' });
  });

  /** A context whose transactions are those of the world. */
  function afterRead(happening: () => Promise<unknown>) {
    const { queries } = afterFirstQuery(world.context, happening).db;
    return { ...world.context, db: { ...world.context.db, queries } };
  }

  it('deletes the post that becomes a draft right after it was read', async () => {
    const { key, accountId, postId } = await accountWithScheduled();
    const { secret: agent } = await world.key({ accountId, approval: 'required' });
    const context = afterRead(() =>
      world.rest(`POST /posts/${postId}/reschedule`, { key: agent, body: { scheduledFor: soon() } }),
    );

    const answer = await deletePost(context, await callerOf(key), postId);

    expect(answer).toEqual({ id: postId, deleted: true });
    expect(await statusOf(postId)).toBeUndefined();
  });

  it('cancels the draft that is scheduled right after it was read', async () => {
    const { key, postId } = await accountWithDraft();
    const context = afterRead(() =>
      world.rest(`POST /posts/${postId}/publish`, { key, body: { scheduledFor: soon() } }),
    );

    const answer = await deletePost(context, await callerOf(key), postId);

    expect(answer).toEqual({ id: postId, status: 'cancelled' });
    expect(await statusOf(postId)).toBe('cancelled');
  });

  it('leaves the draft that is published right after it was read', async () => {
    const { key, postId } = await accountWithDraft();
    const context = afterRead(() => world.rest(`POST /posts/${postId}/publish`, { key, body: {} }));

    const deleting = deletePost(context, await callerOf(key), postId);

    await expect(deleting).rejects.toMatchObject({ code: 'post_not_cancellable' });
    expect(await statusOf(postId)).toBe('sent');
  });

  it('succeeds as a second delete of the post, with one event', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    const first = world.clock.now().toISOString();
    const context = afterFirstQuery(world.context, async () => {
      await world.rest(`DELETE /posts/${postId}`, { key });
      world.clock.advance(5_000);
    });

    const answer = await deletePost(context, await callerOf(key), postId);

    expect(answer).toEqual({ id: postId, status: 'deleted', deletedAt: first });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent', 'post.deleted']);
  });
});

describe('422 platform_rejected', () => {
  it('leaves the post published and records the rejection in the ledger', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, text: 'Hello [[refuse-delete]]' });
    const message = 'The sandbox refused the delete, as [[refuse-delete]] in the text asks.';

    const { status, headers, body } = await world.rest(`DELETE /posts/${postId}`, { key });

    expect(status).toBe(422);
    expect(body).toEqual(
      refusal('platform_rejected', `Sandbox did not delete the post, which stays up: ${message}`, {
        req_id: headers.get('x-request-id') ?? '',
      }),
    );
    expect(await sandboxOf(world, connection.id)).toMatchObject([{ is_up: true }]);
    const post = await world.rest(`GET /posts/${postId}`, { key });
    expect(post.body.post).toMatchObject({ status: 'sent', deletedAt: null, error: null });
    const { body: ledger } = await world.rest(`GET /posts/${postId}/attempts`, { key });
    expect(ledger.attempts[1]).toMatchObject({
      step: 'delete',
      state: 'rejected',
      error: { code: 'platform_rejected', message },
    });
    expect((await eventsAbout(world, postId)).map(({ name }) => name)).toEqual(['post.sent']);
  });
});

describe('422 reconnect_required', () => {
  it('is the answer for a post whose connection was deleted, which stays published', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    await world.rest(`DELETE /connections/${connection.id}`, { key });

    const { status, body } = await world.rest(`DELETE /posts/${postId}`, { key });

    expect(status).toBe(422);
    expect(body).toEqual(
      refusal(
        'reconnect_required',
        'Sandbox did not delete the post, which stays up: The connection has no stored credential any more.',
      ),
    );
    expect(await statusOf(postId)).toBe('sent');
  });
});
