/** GET /posts lists the posts that a key can reach, newest first, in pages. */
import { describe, expect, it } from 'vitest';
import { makeAccount } from '../../harness/accounts.ts';
import { accountWithSandbox, connectSandbox } from '../../harness/connections.ts';
import { UNKNOWN_ID, refusal, UUID } from '../../harness/expected.ts';
import { makePost, sandboxOf } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { PUBLIC_URL, startWorld } from '../../harness/world.ts';

const world = await startWorld();

/** Creates an account with `count` sent posts. Returns their ids, newest first. */
async function accountWithPosts(count: number): Promise<{ key: string; ids: string[] }> {
  const { key } = await accountWithSandbox(world);
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.unshift((await makePost(world, 'sandbox', { key })).postId);
  return { key, ids };
}

function idsIn(body: { posts: { id: string }[] }): string[] {
  return body.posts.map(({ id }) => id);
}

describe('200', () => {
  it('returns every field of posts in every state, newest first', async () => {
    const { key, connection } = await accountWithSandbox(world);
    const sent = await makePost(world, 'sandbox', { key, text: 'Sent' });
    const failed = await makePost(world, 'sandbox', { key, text: 'Failed [[reject]]' });
    const waiting = await makePost(world, 'sandbox', {
      key,
      text: 'Waiting',
      scheduledFor: '2026-12-01T10:00:00+01:00',
    });

    const { status, body } = await world.rest('GET /posts', { key });

    expect(status).toBe(200);
    const [row] = await sandboxOf(world, connection.id);
    const common = {
      connectionSlug: 'sandbox',
      aiRewriteStatus: null,
      url: null,
      scheduledFor: null,
      createdAt: START.toISOString(),
      platformPostId: null,
      deletedAt: null,
      error: null,
      tags: [],
      profileId: null,
      approval: null,
    };
    expect(body).toEqual({
      posts: [
        {
          ...common,
          id: waiting.postId,
          text: 'Waiting',
          originalText: 'Waiting',
          status: 'scheduled',
          scheduledFor: '2026-12-01T09:00:00.000Z',
        },
        {
          ...common,
          id: failed.postId,
          text: 'Failed [[reject]]',
          originalText: 'Failed [[reject]]',
          status: 'failed',
          error: {
            code: 'platform_rejected',
            message: 'The sandbox refused the post, as [[reject]] in its text asks.',
          },
        },
        {
          ...common,
          id: sent.postId,
          text: 'Sent',
          originalText: 'Sent',
          status: 'sent',
          url: `${PUBLIC_URL}/sandbox/${row?.account_id}/${row?.id}`,
          platformPostId: row?.id,
        },
      ],
      limit: 25,
      offset: 0,
      nextCursor: null,
    });
  });

  it('is an empty page for an account without posts', async () => {
    const { key } = await makeAccount(world);

    const { status, body } = await world.rest('GET /posts', { key });

    expect(status).toBe(200);
    expect(body).toEqual({ posts: [], limit: 25, offset: 0, nextCursor: null });
  });

  it('returns 25 posts a page without a limit', async () => {
    const { key, ids } = await accountWithPosts(26);

    const { body } = await world.rest('GET /posts', { key });

    expect(idsIn(body)).toEqual(ids.slice(0, 25));
  });

  it.each([
    ['limit=2', 2, 0],
    ['limit=2&offset=2', 2, 2],
    ['limit=100&offset=4', 100, 4],
    ['limit=1&offset=5', 1, 5],
    ['offset=1000000000', 25, 1_000_000_000],
  ])('pages with %s', async (queryString, limit, offset) => {
    const { key, ids } = await accountWithPosts(5);

    const { status, body } = await world.rest(`GET /posts?${queryString}`, { key });

    expect(status).toBe(200);
    expect(idsIn(body)).toEqual(ids.slice(offset, offset + limit));
    expect({ limit: body.limit, offset: body.offset }).toEqual({ limit, offset });
  });

  it('filters by status', async () => {
    const { key } = await accountWithSandbox(world);
    await makePost(world, 'sandbox', { key });
    const failed = await makePost(world, 'sandbox', { key, text: '[[reject]]' });

    const answers = await Promise.all(
      ['failed', 'draft'].map((status) => world.rest(`GET /posts?status=${status}`, { key })),
    );

    expect(answers.map(({ body }) => idsIn(body))).toEqual([[failed.postId], []]);
  });

  it('filters by profile, also with an id in uppercase', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, slug: 'own' });
    await connectSandbox(world, { key, slug: 'theirs', profileId: profile.id });
    await makePost(world, 'own', { key });
    const { postId } = await makePost(world, 'theirs', { key });

    const answers = await Promise.all(
      [profile.id, profile.id.toUpperCase()].map((id) => world.rest(`GET /posts?profileId=${id}`, { key })),
    );

    expect(answers.map(({ body }) => idsIn(body))).toEqual([[postId], [postId]]);
    expect(answers[0]?.body.posts[0]).toMatchObject({ id: UUID, profileId: profile.id });
  });

  it('lists only the posts of its profile for a scoped key', async () => {
    const { id: accountId, key } = await makeAccount(world);
    const profile = await world.profile('Acme', accountId);
    await connectSandbox(world, { key, slug: 'own' });
    await connectSandbox(world, { key, slug: 'theirs', profileId: profile.id });
    await makePost(world, 'own', { key });
    const { postId } = await makePost(world, 'theirs', { key });
    const scoped = await world.key({ accountId, profileId: profile.id });

    const { body } = await world.rest('GET /posts', { key: scoped.secret });

    expect(idsIn(body)).toEqual([postId]);
  });

  it('lists only sandbox posts for a test key', async () => {
    const { id: accountId, key } = await accountWithSandbox(world);
    const sandbox = await makePost(world, 'sandbox', { key });
    const other = await makePost(world, 'sandbox', { key });
    await world.sql(`update posts set platform_id = 'bluesky' where id = $1`, [other.postId]);
    const testKey = await world.key({ accountId, type: 'test' });

    const [seenLive, seenTest] = [
      await world.rest('GET /posts', { key }),
      await world.rest('GET /posts', { key: testKey.secret }),
    ];

    expect(idsIn(seenLive.body)).toEqual([other.postId, sandbox.postId]);
    expect(idsIn(seenTest.body)).toEqual([sandbox.postId]);
  });

  it('never lists another account’s posts', async () => {
    const { key } = await makeAccount(world);
    await accountWithPosts(1);

    const { body } = await world.rest('GET /posts', { key });

    expect(body.posts).toEqual([]);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['limit=ten', 'limit', 'a number', 'ten'],
    ['limit=', 'limit', 'a number', ''],
    ['limit=0', 'limit', 'at least 1', '0'],
    ['limit=101', 'limit', 'at most 100', '101'],
    ['limit=-1', 'limit', 'at least 1', '-1'],
    ['limit=1.5', 'limit', 'an int', '1.5'],
    ['limit=1e1', 'limit', 'a number', '1e1'],
    ['limit=0x10', 'limit', 'a number', '0x10'],
    ['limit=%2010', 'limit', 'a number', ' 10'],
    ['limit=10&limit=10', 'limit', 'a number', '["10","10"]'],
    ['limit[]=10&limit=ten', 'limit', 'a number', 'ten'],
    ['offset=-1', 'offset', 'at least 0', '-1'],
    ['offset=1000000001', 'offset', 'at most 1000000000', '1000000001'],
    ['offset=null', 'offset', 'a number', 'null'],
    ['status=queued', 'status', 'one of sent, scheduled, processing, draft, failed, cancelled, deleted', 'queued'],
    ['status=', 'status', 'one of sent, scheduled, processing, draft, failed, cancelled, deleted', ''],
    ['status=sent?', 'status', 'one of sent, scheduled, processing, draft, failed, cancelled, deleted', 'sent?'],
    ['profileId=acme', 'profileId', 'a UUID', 'acme'],
  ])('refuses ?%s, with the parameter and its value', async (queryString, path, expected, received) => {
    const { status, body } = await world.rest(`GET /posts?${queryString}`);

    expect(status).toBe(400);
    expect(body).toEqual(
      refusal('invalid_request', `${path}: expected ${expected}.`, { details: [{ path, expected, received }] }),
    );
  });

  it('refuses another account’s profile', async () => {
    const { id: accountId } = await makeAccount(world);
    const foreign = await world.profile('Acme', accountId);

    const answers = await Promise.all(
      [UNKNOWN_ID, foreign.id].map((profileId) => world.rest(`GET /posts?profileId=${profileId}`)),
    );

    expect(answers.map(({ status, body }) => [status, body])).toEqual([
      [400, refusal('invalid_request', `profileId: no profile of yours has the id ${UNKNOWN_ID}.`)],
      [400, refusal('invalid_request', `profileId: no profile of yours has the id ${foreign.id}.`)],
    ]);
  });
});
