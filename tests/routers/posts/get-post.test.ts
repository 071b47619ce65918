/** GET /posts/{postId} returns one post, and 404 to keys that cannot reach it. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { makePost } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { IMAGE } from '../../harness/tenant.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld();

function notFound(id: string) {
  return refusal('not_found', `No post of yours has the id ${id}.`);
}

describe('200', () => {
  it('returns the post', async () => {
    const { key, connection } = await accountWithSandbox(world);
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
        approval: null,
        connectionId: connection.id,
        platformId: 'sandbox',
        sentAt: START.toISOString(),
        thread: [],
        firstComment: null,
        media: [],
        rewrite: null,
        threadCount: 0,
        hasFirstComment: false,
        tries: 1,
        stopId: null,
        createdBy: { kind: 'key', id: UUID, name: 'A key', onBehalfOf: null },
      },
    });
  });

  it('returns all content: thread, first comment, images with their URLs, and the platform text', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const upload = await world.rest('POST /media?altText=As%20uploaded', {
      key,
      raw: IMAGE,
      headers: { 'content-type': 'image/png' },
    });
    const image = upload.body.media;
    const { body: made } = await world.rest('POST /posts', {
      key,
      body: {
        text: 'For all',
        textByPlatform: { sandbox: 'For the sandbox' },
        connectionSlugs: ['sandbox'],
        media: [{ id: image.id }],
        isDraft: true,
        rewrite: false,
      },
    });
    const { postId } = made.results[0];
    // No platform in the tests accepts both.
    await world.sql(`update posts set thread = '{One,Two}', first_comment = 'First' where id = $1`, [postId]);

    const { body } = await world.rest(`GET /posts/${postId}`, { key });

    const url = `${PUBLIC_URL}/api/v2/media/${image.id}/raw`;
    expect(body.post).toMatchObject({
      status: 'draft',
      text: 'For the sandbox',
      originalText: 'For the sandbox',
      sentAt: null,
      thread: ['One', 'Two'],
      firstComment: 'First',
      media: [{ id: image.id, altText: 'As uploaded', contentType: 'image/png', width: 4, height: 4, url }],
      rewrite: false,
      tries: 0,
    });
    const opened = await world.rest(`GET ${new URL(url).pathname.replace('/api/v2', '')}` as 'GET /x', { key });
    expect([opened.status, opened.bytes.equals(IMAGE)]).toEqual([200, true]);
    const profile = await world.profile('Acme', accountId);
    await world.sql('update posts set profile_id = $2 where id = $1', [postId, profile.id]);
    const scoped = await world.key({ accountId, profileId: profile.id });
    const seen = await world.rest(`GET /posts/${postId}`, { key: scoped.secret });
    expect(seen.body.post.media).toMatchObject([{ id: image.id, url: null }]);
  });

  it('counts each attempt to send it', async () => {
    const { key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key, text: '[[unavailable]]' });
    await world.rest(`POST /posts/${postId}/retry`, { key, body: {} });

    const { body } = await world.rest(`GET /posts/${postId}`, { key });

    expect(body.post).toMatchObject({ status: 'failed', sentAt: null, tries: 2 });
  });

  it('returns a post of its profile to a scoped key', async () => {
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
  it('is the answer for an id that is not a UUID', async () => {
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
  it('is the answer for an unknown id', async () => {
    const { status, body } = await world.rest(`GET /posts/${UNKNOWN_ID}`);

    expect(status).toBe(404);
    expect(body).toEqual(notFound(UNKNOWN_ID));
  });

  it('is the answer for another account’s post', async () => {
    const [one, other] = [await makeAccount(world), await accountWithSandbox(world)];
    const { postId } = await makePost(world, 'sandbox', { key: other.key });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: one.key });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
  });

  it('is the answer to a scoped key for a post outside its profile', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const profile = await world.profile('Acme', accountId);
    const { postId } = await makePost(world, 'sandbox', { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: scoped.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
  });

  it('is the answer to a test key for a post outside the sandbox', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const { postId } = await makePost(world, 'sandbox', { key });
    await world.sql(`update posts set platform_id = 'bluesky' where id = $1`, [postId]);
    const testKey = await world.key({ accountId, type: 'test' });

    const { status, body } = await world.rest(`GET /posts/${postId}`, { key: testKey.secret });

    expect(status).toBe(404);
    expect(body).toEqual(notFound(postId));
  });
});
