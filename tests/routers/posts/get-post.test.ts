/** GET /posts/{postId}: one post, and who may not know that it exists. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { NOBODY, refusal, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

function notFound(id: string) {
  return refusal('not_found', `No post of yours has the id ${id}.`);
}

describe('200', () => {
  it('gives the post', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId, url } = await makePost(world, 'sandbox', { key, text: 'Hello' });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key });

    expect(status).toBe(200);
    expect(body).toEqual({
      post: {
        id: postId,
        connectionSlug: 'sandbox',
        text: 'Hello',
        originalText: 'Hello',
        aiRewriteStatus: null,
        status: 'sent',
        url,
        scheduledFor: null,
        createdAt: START.toISOString(),
        platformPostId: UUID,
        deletedAt: null,
        error: null,
        tags: [],
        profileId: null,
      },
    });
  });

  it('gives a scoped key a post of its profile', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, profileId: profile.id });
    const { postId } = await makePost(world, 'sandbox', { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: scoped.secret });

    expect(status).toBe(200);
    expect(body.post).toMatchObject({ id: postId, profileId: profile.id });
  });
});

describe('400 invalid_request', () => {
  it('names an id that is not a UUID', async () => {
    const { status, body } = await world.rest('GET /posts/latest');

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', 'postId: expected a UUID.', {
        details: [{ path: 'postId', expected: 'a UUID', received: 'latest' }],
      }),
    );
  });
});

describe('404 not_found', () => {
  it('answers an id that nothing has', async () => {
    const { status, body } = await world.rest(`GET /posts/${NOBODY}`);

    expect(status).toBe(404);
    expect(body).toEqual(notFound(NOBODY));
  });

  it('answers another account’s post', async () => {
    const [one, other] = [await makeAccount(world), await accountWithSandbox(world)];
    const { postId } = await makePost(world, 'sandbox', { key: other.key });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: one.key });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
  });

  it('answers a scoped key a post outside its profile', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const { postId } = await makePost(world, 'sandbox', { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: scoped.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
  });

  it('answers a test key a post that is not on a sandbox', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    await world.sql(`update posts set platform_id = 'bluesky' where id = $1`, [postId]);
    const testKey = await world.key({ accountId, type: 'test' });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: testKey.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
  });
});
