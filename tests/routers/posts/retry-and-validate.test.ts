/**
 * Retries a failed post, and validates a post without sending it
 * (docs/contract/connections.md#linking-with-credentials).
 */
import { describe, expect, it } from 'vitest';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post;

async function failedPost(text: string): Promise<string> {
  const { body } = await world.rest('POST /posts', { body: { text, connectionSlugs: [world.sandboxSlug] } });
  return body.results[0].postId;
}

/** Lets the sandbox accept a post that its directive refused before. */
function mend(postId: string, text: string) {
  return world.sql('update posts set text = $2 where id = $1', [postId, text]);
}

describe('POST /posts/{postId}/retry', () => {
  it('sends a failed post again under the same id, and the ledger has both sends', async () => {
    const postId = await failedPost('Down for now [[unavailable]]');
    await mend(postId, 'Up again');

    const { status, body } = await world.rest(`POST /posts/${postId}/retry`, { body: {} });

    expect([status, body.result.status, body.result.postId]).toEqual([200, 'sent', postId]);
    expect(await read(postId)).toMatchObject({ status: 'sent', error: null });
    const attempts = (await world.rest(`GET /posts/${postId}/attempts`)).body.attempts;
    expect(attempts.map(({ state }: { state: string }) => state)).toEqual(['unavailable', 'accepted']);
  });

  it('deletes what the retry published, not the failed first attempt', async () => {
    const postId = await failedPost('Second try counts [[unavailable]]');
    await mend(postId, 'Second try counts');
    await world.rest(`POST /posts/${postId}/retry`, { body: {} });

    const { body } = await world.rest(`DELETE /posts/${postId}`);

    expect(body.status).toBe('deleted');
  });

  it('sets a new time and emits post.rescheduled with the reason requeued', async () => {
    const postId = await failedPost('Again tomorrow [[unavailable]]');
    const scheduledFor = new Date(world.clock.now().getTime() + 86_400_000).toISOString();

    const { body } = await world.rest(`POST /posts/${postId}/retry`, { body: { scheduledFor } });

    expect(body.result).toMatchObject({ status: 'scheduled', scheduledFor, postId });
    expect(await read(postId)).toMatchObject({ status: 'scheduled', scheduledFor, error: null });
    const events = await world.sql<{ name: string; payload: unknown }>(
      'select name, payload from events where subject_id = $1 order by id',
      [postId],
    );
    expect(events.at(-1)).toEqual({
      name: 'post.rescheduled',
      payload: {
        post: { id: postId, connectionSlug: world.sandboxSlug, scheduledFor, reason: 'requeued', profileId: null },
      },
    });
  });

  it('refuses a post with an unknown outcome unless it is forced', async () => {
    const postId = await failedPost('Who knows [[vanish]]');

    const refused = await world.rest(`POST /posts/${postId}/retry`, { body: {} });
    await mend(postId, 'Forced');
    const forced = await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } });

    expect([refused.status, refused.body.error, refused.body.message]).toEqual([
      400,
      'invalid_request',
      expect.stringContaining('force: true'),
    ]);
    expect(forced.body.result.status).toBe('sent');
  });

  it('refuses a post that has not failed', async () => {
    const postId = await failedPost('All is well');

    const { status, body } = await world.rest(`POST /posts/${postId}/retry`, { body: {} });

    expect([status, body.message]).toEqual([400, 'Only a failed post can be sent again; this one is sent.']);
  });

  it('sends once for two concurrent retries', async () => {
    const postId = await failedPost('Two tries [[unavailable]]');
    await mend(postId, 'Two tries');

    const answers = await Promise.all([1, 2].map(() => world.rest(`POST /posts/${postId}/retry`, { body: {} })));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400]);
    expect(await world.sql(`select count(*)::int as count from sandbox_posts where text = 'Two tries'`)).toEqual([
      { count: 1 },
    ]);
  });
});

describe('POST /posts/validate', () => {
  it('returns for each connection what a send would return, and stores nothing', async () => {
    const before = await world.sql('select count(*)::int as count from posts');

    const { status, body } = await world.rest('POST /posts/validate', {
      body: {
        text: 'x'.repeat(501),
        connectionSlugs: [world.sandboxSlug, 'nowhere'],
        textByPlatform: { bluesky: 'unused' },
      },
    });

    expect([status, body]).toEqual([
      200,
      {
        results: [
          {
            connectionSlug: world.sandboxSlug,
            ok: false,
            error: { code: 'platform_rejected', message: 'The text has 501 characters; Sandbox takes at most 500.' },
            text: 'x'.repeat(501),
            length: 501,
            maxLength: 500,
            parts: [
              {
                length: 501,
                maxLength: 500,
                reason: 'The text has 501 characters; Sandbox takes at most 500.',
              },
            ],
            images: [],
            scheduledFor: null,
            rules: [],
          },
          {
            connectionSlug: 'nowhere',
            ok: false,
            error: {
              code: 'invalid_connection',
              message: 'No connection of yours has the slug "nowhere". GET /connections lists them.',
            },
            text: 'x'.repeat(501),
            length: null,
            maxLength: null,
            parts: [],
            images: [],
            scheduledFor: null,
            rules: [],
          },
        ],
      },
    ]);
    expect(await world.sql('select count(*)::int as count from posts')).toEqual(before);
  });

  it('returns the instant for a wall time', async () => {
    const { body } = await world.rest('POST /posts/validate', {
      body: {
        text: 'Morning',
        connectionSlugs: [world.sandboxSlug],
        scheduledFor: '2026-12-01T09:00',
        timezone: 'Europe/Paris',
      },
    });

    expect(body.results[0]).toMatchObject({
      ok: true,
      error: null,
      length: 7,
      scheduledFor: '2026-12-01T08:00:00.000Z',
    });
  });

  it('uses the platform’s own text', async () => {
    const { body } = await world.rest('POST /posts/validate', {
      body: { text: 'Shared', connectionSlugs: [world.sandboxSlug], textByPlatform: { sandbox: 'For the sandbox' } },
    });

    expect(body.results[0]).toMatchObject({ ok: true, text: 'For the sandbox', length: 15 });
  });
});

describe('other fields of POST /posts', () => {
  it('send each platform its own text', async () => {
    const { body } = await world.rest('POST /posts', {
      body: { text: 'Shared', connectionSlugs: [world.sandboxSlug], textByPlatform: { sandbox: 'Own words' } },
    });

    expect((await read(body.results[0].postId)).text).toBe('Own words');
  });

  it.each([
    ['a tag with a space inside', { tags: ['two words'] }],
    ['eleven tags', { tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }],
    ['a tag of 41 characters', { tags: ['x'.repeat(41)] }],
    ['25 replies', { thread: Array.from({ length: 25 }, () => 'r') }],
    ['an empty reply', { thread: [' '] }],
    ['an unknown platform in textByPlatform', { textByPlatform: { myspace: 'x' } }],
    ['a text for rewrite', { rewrite: 'yes' }],
    ['media and mediaIds', { media: [], mediaIds: [] }],
  ])('refuse %s with invalid_request', async (_name, more) => {
    const { status, body } = await world.rest('POST /posts', {
      body: { text: 'x', connectionSlugs: [world.sandboxSlug], ...more },
    });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('fail a result with queue_empty if the connection has no slots', async () => {
    const { body } = await world.rest('POST /posts', {
      body: { text: 'x', connectionSlugs: [world.sandboxSlug], queue: true },
    });

    expect(body.results[0]).toMatchObject({ status: 'failed', postId: null, error: { code: 'queue_empty' } });
  });

  it('list posts that have every requested tag', async () => {
    for (const tags of [['red'], ['red', 'blue'], ['blue']]) {
      await world.rest('POST /posts', {
        body: { text: `Tagged ${tags.join(' ')}`, connectionSlugs: [world.sandboxSlug], tags },
      });
    }

    const { body } = await world.rest('GET /posts?tag=RED&tag=blue');

    expect(body.posts.map(({ text }: { text: string }) => text)).toEqual(['Tagged red blue']);
  });

  it('list posts by a tag newest first, in pages, and by status as well', async () => {
    const ids: string[] = [];
    for (const isDraft of [false, true, false, false]) {
      const { body } = await world.rest('POST /posts', {
        body: { text: 'Paged', connectionSlugs: [world.sandboxSlug], tags: ['paged', 'other'], isDraft },
      });
      ids.unshift(body.results[0].postId);
    }
    const listed = async (filter: string) =>
      (await world.rest(`GET /posts?${filter}`)).body.posts.map(({ id }: { id: string }) => id);

    expect(await listed('tag=paged')).toEqual(ids);
    expect(await listed('tag=paged&tag=other&tag=paged&limit=2&offset=1')).toEqual([ids[1], ids[2]]);
    expect(await listed('tag=paged&status=draft')).toEqual([ids[2]]);
  });
});
