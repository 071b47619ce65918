/**
 * Drafts are stored, edited, published or deleted. Concurrent publish requests are safe
 * (docs/contract/posts.md#drafts).
 */
import { describe, expect, it } from 'vitest';
import { storeDiscord } from '../../harness/connections.ts';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const [account] = await world.sql<{ id: string }>('select id from accounts');
const discord = await storeDiscord(world, account!.id, 'channel');

async function draft(text: string, more: Record<string, unknown> = {}, key = world.liveKey): Promise<string> {
  const { body } = await world.rest('POST /posts', {
    key,
    body: { text, connectionSlugs: [world.sandboxSlug], isDraft: true, ...more },
  });
  return body.results[0].postId;
}

const read = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post;
const eventsOf = (postId: string) =>
  world.sql<{ name: string }>('select name from events where subject_id = $1 order by id', [postId]);

describe('POST /posts with isDraft', () => {
  it('stores a draft and sends nothing', async () => {
    const { body } = await world.rest('POST /posts', {
      body: {
        text: 'Later maybe',
        connectionSlugs: [world.sandboxSlug],
        isDraft: true,
        tags: [' News ', 'news', 'a/b'],
      },
    });

    const [result] = body.results;
    expect(result).toEqual({
      connectionSlug: world.sandboxSlug,
      status: 'draft',
      postId: expect.any(String),
      url: null,
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: false,
      error: null,
    });
    expect(await read(result.postId)).toMatchObject({ status: 'draft', text: 'Later maybe', tags: ['news', 'a/b'] });
    expect(await eventsOf(result.postId)).toEqual([]);
  });

  it.each([
    ['scheduledFor', { scheduledFor: '2026-11-22T12:00:00Z' }],
    ['queue', { queue: true }],
  ])('refuses a draft with %s', async (_name, more) => {
    const { status, body } = await world.rest('POST /posts', {
      body: { text: 'x', connectionSlugs: [world.sandboxSlug], isDraft: true, ...more },
    });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('validates the draft like a send', async () => {
    const { body } = await world.rest('POST /posts', {
      body: { text: 'x'.repeat(501), connectionSlugs: [world.sandboxSlug], isDraft: true },
    });

    expect(body.results[0]).toMatchObject({ status: 'failed', postId: null, error: { code: 'platform_rejected' } });
  });
});

describe('PATCH /posts/{postId}', () => {
  it('changes only the fields that are sent', async () => {
    const postId = await draft('First words', { tags: ['kept'] });

    const { status, body } = await world.rest(`PATCH /posts/${postId}`, { body: { text: ' Better words ' } });

    expect([status, body.post.text, body.post.originalText, body.post.tags]).toEqual([
      200,
      'Better words',
      'Better words',
      ['kept'],
    ]);
  });

  it('keeps the fields that other requests change at the same time', async () => {
    const postId = await draft('First words');
    const raw = await plain(8, 8).png().toBuffer();
    const upload = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
    const media = [{ id: upload.body.media.id, altText: 'A bell' }];
    const changes = [{ text: 'Better words' }, { thread: ['Reply'] }, { tags: ['both'] }, { media }];

    const answers = await Promise.all(changes.map((body) => world.rest(`PATCH /posts/${postId}`, { body })));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await read(postId)).toMatchObject({
      text: 'Better words',
      originalText: 'Better words',
      thread: ['Reply'],
      tags: ['both'],
      media,
    });
  });

  it('updates the tag lists when the tags of the draft change', async () => {
    const postId = await draft('Tagged anew', { tags: ['edit-old', 'edit-kept'] });

    await world.rest(`PATCH /posts/${postId}`, { body: { tags: ['edit-kept', 'edit-new'] } });

    const listed = async (tag: string) =>
      (await world.rest(`GET /posts?tag=${tag}`)).body.posts.map(({ id }: { id: string }) => id);
    expect(await Promise.all(['edit-old', 'edit-kept', 'edit-new'].map(listed))).toEqual([[], [postId], [postId]]);
  });

  it('keeps the tag lists when another field changes', async () => {
    const postId = await draft('Tagged still', { tags: ['edit-still'] });

    await world.rest(`PATCH /posts/${postId}`, { body: { text: 'Other words' } });

    const { body } = await world.rest('GET /posts?tag=edit-still');
    expect([await read(postId)]).toMatchObject(body.posts);
  });

  it('refuses a text over the limit, and does not change the draft', async () => {
    const postId = await draft('Short');

    const { status, body } = await world.rest(`PATCH /posts/${postId}`, { body: { text: 'x'.repeat(501) } });

    expect([status, body.error, body.message]).toEqual([400, 'invalid_request', expect.stringMatching(/501 .*500/)]);
    expect((await read(postId)).text).toBe('Short');
  });

  it.each([
    ['a thread', { thread: ['reply'] }],
    ['a first comment', { firstComment: 'first' }],
  ])('refuses %s on a platform without it', async (_name, change) => {
    const postId = await draft('Plain', { connectionSlugs: [discord.slug] });

    const { status, body } = await world.rest(`PATCH /posts/${postId}`, { body: change });

    expect([status, body.error]).toEqual([400, 'shape_unsupported']);
  });

  it('refuses an empty change', async () => {
    const { status, body } = await world.rest(`PATCH /posts/${await draft('Plain')}`, { body: {} });

    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('refuses a post that is no longer a draft', async () => {
    const postId = await draft('Gone out');
    await world.rest(`POST /posts/${postId}/publish`, { body: {} });

    const { status, body } = await world.rest(`PATCH /posts/${postId}`, { body: { text: 'Too late' } });

    expect([status, body.error, body.message]).toEqual([
      400,
      'invalid_request',
      'Only a draft can be edited; this post is sent.',
    ]);
  });
});

describe('POST /posts/{postId}/publish', () => {
  it('sends the draft under the same id', async () => {
    const postId = await draft('Out it goes');

    const { status, body } = await world.rest(`POST /posts/${postId}/publish`, { body: {} });

    expect([status, body.result.status, body.result.postId]).toEqual([200, 'sent', postId]);
    expect(await read(postId)).toMatchObject({ status: 'sent', url: body.result.url });
    expect(await eventsOf(postId)).toEqual([{ name: 'post.sent' }]);
  });

  it('schedules it without an event, and sends it at its time', async () => {
    const postId = await draft('Out later');
    const scheduledFor = new Date(world.clock.now().getTime() + 3_600_000).toISOString();

    const { body } = await world.rest(`POST /posts/${postId}/publish`, { body: { scheduledFor } });
    const events = await eventsOf(postId);
    await world.advance(3_600_000);

    expect(body.result).toMatchObject({ status: 'scheduled', postId, scheduledFor });
    expect(events).toEqual([]);
    expect((await read(postId)).status).toBe('sent');
  });

  it('keeps the mode in which the draft was created', async () => {
    const postId = await draft('Made for testing', {}, world.testKey);

    await world.rest(`POST /posts/${postId}/publish`, { body: {} });

    expect(await world.sql('select mode from events where subject_id = $1', [postId])).toEqual([{ mode: 'test' }]);
  });

  it('answers one of two concurrent requests with 200 and the other with 404, and publishes once', async () => {
    const postId = await draft('Raced');

    const answers = await Promise.all([1, 2].map(() => world.rest(`POST /posts/${postId}/publish`, { body: {} })));

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
    expect(await world.sql(`select count(*)::int as count from sandbox_posts where text = 'Raced'`)).toEqual([
      { count: 1 },
    ]);
  });

  it('keeps the draft when its queue is empty, with the reason in the result', async () => {
    const postId = await draft('Queued nowhere');

    const { status, body } = await world.rest(`POST /posts/${postId}/publish`, { body: { queue: true } });

    expect([status, body.result.status, body.result.error.code]).toEqual([200, 'draft', 'queue_empty']);
    expect((await read(postId)).status).toBe('draft');
  });

  it('fails the post when the platform refuses it', async () => {
    const postId = await draft('Refused [[reject]]');

    const { body } = await world.rest(`POST /posts/${postId}/publish`, { body: {} });

    expect([body.result.status, body.result.error.code]).toEqual(['failed', 'platform_rejected']);
    expect((await read(postId)).status).toBe('failed');
  });

  it('fails the draft after its connection was deleted, even if a new connection has the slug', async () => {
    const made = await world.rest('POST /connections', {
      body: { platformId: 'sandbox', credentials: {}, slug: 'short-lived' },
    });
    const { body } = await world.rest('POST /posts', {
      body: { text: 'Orphan', connectionSlugs: ['short-lived'], isDraft: true },
    });
    await world.rest(`DELETE /connections/${made.body.connection.id}`);
    await world.rest('POST /connections', { body: { platformId: 'sandbox', credentials: {}, slug: 'short-lived' } });

    const answer = await world.rest(`POST /posts/${body.results[0].postId}/publish`, { body: {} });

    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_connection']);
    const { postId } = body.results[0];
    const message =
      'The connection this post was written for ("short-lived") was deleted. Create the post again for another connection.';
    expect(answer.body.message).toBe(message);
    expect(await read(postId)).toMatchObject({ status: 'failed', error: { code: 'invalid_connection', message } });
    expect(await eventsOf(postId)).toEqual([{ name: 'post.failed' }]);
  });

  it('keeps a draft whose connection was deleted if the request itself is invalid', async () => {
    const made = await world.rest('POST /connections', {
      body: { platformId: 'sandbox', credentials: {}, slug: 'gone-soon' },
    });
    const postId = await draft('Asked wrongly', { connectionSlugs: ['gone-soon'] });
    await world.rest(`DELETE /connections/${made.body.connection.id}`);

    const answer = await world.rest(`POST /posts/${postId}/publish`, { body: { scheduledFor: 'tomorrow' } });

    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request']);
    expect((await read(postId)).status).toBe('draft');
  });

  it('returns 404 for a post that was never a draft', async () => {
    const { body } = await world.rest('POST /posts', {
      body: { text: 'At once', connectionSlugs: [world.sandboxSlug] },
    });

    const answer = await world.rest(`POST /posts/${body.results[0].postId}/publish`, { body: {} });

    expect([answer.status, answer.body.error]).toEqual([404, 'not_found']);
  });

  it('refuses a time together with the queue', async () => {
    const { status } = await world.rest(`POST /posts/${await draft('Both')}/publish`, {
      body: { queue: true, scheduledFor: '2026-11-22T12:00:00Z' },
    });

    expect(status).toBe(400);
  });
});

describe('DELETE /posts/{postId}', () => {
  it('removes a tagged draft from the list of its tag', async () => {
    const postId = await draft('Tagged and gone', { tags: ['delete-gone'] });

    const { status } = await world.rest(`DELETE /posts/${postId}`);

    const { body } = await world.rest('GET /posts?tag=delete-gone');
    expect([status, body.posts]).toEqual([200, []]);
  });

  it('deletes a draft permanently', async () => {
    const postId = await draft('Never mind');

    const { status, body } = await world.rest(`DELETE /posts/${postId}`);

    expect([status, body]).toEqual([200, { id: postId, deleted: true }]);
    expect((await world.rest(`GET /posts/${postId}`)).status).toBe(404);
  });
});
