/** POST /posts with `replaces`: new posts take the place of drafts, all or nothing (docs/contract/posts.md#replacing-drafts). */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { NO_POST, refusal } from '../../harness/expected.ts';
import { noise } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const second = await connectSandbox(world, { slug: 'second' });
const BOTH = [world.sandboxSlug, second.slug];

async function create(body: Record<string, unknown>, headers: Record<string, string> = {}) {
  return world.rest('POST /posts', { body: { connectionSlugs: [world.sandboxSlug], ...body }, headers });
}

/** Ids of new drafts, in the order of the slugs. */
async function drafts(body: Record<string, unknown>): Promise<string[]> {
  const answer = await create({ isDraft: true, ...body });
  return answer.body.results.map(({ postId }: { postId: string }) => postId);
}

const statusOf = async (postId: string) => (await world.rest(`GET /posts/${postId}`)).body.post?.status ?? 'gone';

/** The result of a connection that gets no post. */
const refused = (connectionSlug: string, code: string) => ({
  connectionSlug,
  ...NO_POST,
  error: { code, message: expect.any(String) },
});

describe('200', () => {
  it('saves a text again without a second draft, also for connections that it no longer names', async () => {
    const before = await drafts({ text: 'First', connectionSlugs: BOTH });

    const [after] = await drafts({ text: 'Second', replaces: before });

    expect(await Promise.all(before.map(statusOf))).toEqual(['gone', 'gone']);
    expect(await statusOf(after ?? '')).toBe('draft');
  });

  it('publishes what was saved, and a repeated request publishes nothing again', async () => {
    const [draft] = await drafts({ text: 'Saved' });
    const headers = { 'idempotency-key': 'publish-saved' };

    const first = await create({ text: 'Saved', replaces: [draft] }, headers);
    const again = await create({ text: 'Saved', replaces: [draft] }, headers);

    expect(first.body.results[0].status).toBe('sent');
    expect(again.body).toEqual(first.body);
    expect(await statusOf(draft ?? '')).toBe('gone');
  });

  it('keeps the draft of a connection whose new post is refused', async () => {
    const [draft] = await drafts({ text: 'Fits' });

    const { body } = await create({
      text: 'x'.repeat(501),
      connectionSlugs: BOTH,
      textByPlatform: {},
      isDraft: true,
      replaces: [draft],
    });

    expect(body.results.map(({ status }: { status: string }) => status)).toEqual(['failed', 'failed']);
    expect(await statusOf(draft ?? '')).toBe('draft');
  });

  it.each([
    ['is refused by its platform', { text: 'x'.repeat(501), isDraft: true }, 'platform_rejected'],
    ['finds no slot', { text: 'Only copy', queue: true }, 'queue_empty'],
  ])('keeps every draft when the only new post %s', async (_case, fields, code) => {
    const before = await drafts({ text: 'Only copy', connectionSlugs: BOTH });

    const { status, body } = await create({ ...fields, connectionSlugs: [second.slug], replaces: before });

    expect([status, body]).toEqual([200, { results: [refused(second.slug, code)] }]);
    expect(await Promise.all(before.map(statusOf))).toEqual(['draft', 'draft']);
  });

  it('keeps the draft of a connection that is named by a slug it no longer has', async () => {
    const renamed = await connectSandbox(world, { slug: 'earlier' });
    const before = await drafts({ text: 'Only copy', connectionSlugs: ['earlier', second.slug] });
    await world.rest(`PATCH /connections/${renamed.id}/settings`, { body: { slug: 'later' } });

    const { body } = await create({ text: 'New', connectionSlugs: ['earlier', second.slug], replaces: before });

    expect(body).toEqual({
      results: [refused('earlier', 'invalid_connection'), expect.objectContaining({ status: 'sent', error: null })],
    });
    expect(await Promise.all(before.map(statusOf))).toEqual(['draft', 'gone']);
  });

  it('leaves no second draft when both the earlier and the present slug of a connection are named', async () => {
    const renamed = await connectSandbox(world, { slug: 'before' });
    const [draft] = await drafts({ text: 'Once', connectionSlugs: ['before'] });
    await world.rest(`PATCH /connections/${renamed.id}/settings`, { body: { slug: 'after' } });

    const answer = await create({
      text: 'Once',
      connectionSlugs: ['before', 'after'],
      isDraft: true,
      replaces: [draft],
    });

    expect(answer.body.results.map(({ status }: { status: string }) => status)).toEqual(['failed', 'draft']);
    expect(await statusOf(draft ?? '')).toBe('gone');
  });

  it('keeps the images, also those that the new post no longer names', async () => {
    const raw = await noise(10, 10).png().toBuffer();
    const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
    const [draft] = await drafts({ text: 'With an image', mediaIds: [body.media.id] });

    await drafts({ text: 'Without', replaces: [draft] });

    expect((await world.rest(`GET /media/${body.media.id}`)).status).toBe(200);
  });
});

describe('404 not_found', () => {
  it('is the answer also when every new post is refused', async () => {
    const [draft] = await drafts({ text: 'Deleted elsewhere' });
    await world.rest(`DELETE /posts/${draft}`);

    const { status, body } = await create({ text: 'x'.repeat(501), replaces: [draft] });

    const message = `replaces: no draft of yours has the id ${draft} any more. Nothing was posted.`;
    expect([status, body]).toEqual([404, refusal('not_found', message)]);
  });

  it('names a post that is no draft any more, and posts nothing', async () => {
    const [draft] = await drafts({ text: 'Published elsewhere' });
    await world.rest(`POST /posts/${draft}/publish`, { body: {} });

    const { status, body } = await create({ text: 'Not twice', replaces: [draft] });

    const message = `replaces: no draft of yours has the id ${draft} any more: the post is sent. Nothing was posted.`;
    expect([status, body]).toEqual([404, refusal('not_found', message)]);
    expect((await world.rest('GET /posts?q=twice')).body.posts).toEqual([]);
  });

  it('is the answer for a draft outside the reach of the key', async () => {
    const [draft] = await drafts({ text: 'Of the account' });
    const profile = (await world.rest('POST /profiles', { body: { name: 'A customer' } })).body.profile;
    const own = await connectSandbox(world, { slug: 'theirs', profileId: profile.id });
    const { secret } = await world.key({ profileId: profile.id });

    const { status } = await world.rest('POST /posts', {
      key: secret,
      body: { text: 'Mine', connectionSlugs: [own.slug], replaces: [draft] },
    });

    expect(status).toBe(404);
    expect(await statusOf(draft ?? '')).toBe('draft');
  });
});

describe('POST /posts/validate', () => {
  const validate = (body: object) =>
    world.rest('POST /posts/validate', { body: { text: 'Checked', connectionSlugs: [world.sandboxSlug], ...body } });

  it('takes the drafts too, and deletes none', async () => {
    const [draft] = await drafts({ text: 'Checked' });

    const { status, body } = await validate({ replaces: [draft, draft] });

    expect([status, body]).toEqual([200, (await validate({})).body]);
    expect(body.results[0]).toMatchObject({ ok: true, error: null });
    expect(await statusOf(draft ?? '')).toBe('draft');
  });

  it('answers 404 for a post that is no draft any more, as POST /posts does', async () => {
    const [draft] = await drafts({ text: 'Published elsewhere' });
    await world.rest(`POST /posts/${draft}/publish`, { body: {} });

    const checked = await validate({ replaces: [draft] });
    const created = await create({ text: 'Checked', replaces: [draft] });

    const message = `replaces: no draft of yours has the id ${draft} any more: the post is sent. Nothing was posted.`;
    expect([checked.status, checked.body]).toEqual([404, refusal('not_found', message)]);
    expect([created.status, created.body]).toEqual([404, refusal('not_found', message)]);
  });

  it('answers for the slugs alone when none matches, as POST /posts does', async () => {
    const [draft] = await drafts({ text: 'Deleted elsewhere' });
    await world.rest(`DELETE /posts/${draft}`);
    const fields = { connectionSlugs: ['nowhere'], replaces: [draft] };

    const checked = await validate(fields);
    const created = await create({ text: 'Checked', ...fields });

    const message = 'No connection of yours has the slug "nowhere". GET /connections lists them.';
    expect([checked.status, checked.body]).toEqual([
      200,
      {
        results: [
          {
            connectionSlug: 'nowhere',
            ok: false,
            error: { code: 'invalid_connection', message },
            text: 'Checked',
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
    expect([created.status, created.body]).toEqual([400, refusal('invalid_connection', message)]);
  });

  it('answers 404 for a draft that is gone when only one of the slugs matches, as POST /posts does', async () => {
    const [draft] = await drafts({ text: 'Deleted elsewhere' });
    await world.rest(`DELETE /posts/${draft}`);
    const fields = { connectionSlugs: ['nowhere', world.sandboxSlug], replaces: [draft] };

    const checked = await validate(fields);
    const created = await create({ text: 'Checked', ...fields });

    const message = `replaces: no draft of yours has the id ${draft} any more. Nothing was posted.`;
    expect([checked.status, checked.body]).toEqual([404, refusal('not_found', message)]);
    expect([created.status, created.body]).toEqual([404, refusal('not_found', message)]);
  });
});

it('one of two requests that replace the same draft at once publishes', async () => {
  const [draft] = await drafts({ text: 'Raced' });

  const answers = await Promise.all([1, 2].map(() => create({ text: 'Raced', replaces: [draft] })));

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
});

describe('two requests with one key that replace the same draft at once', () => {
  const twice = (body: object, key: string) =>
    Promise.all([1, 2].map(() => create({ text: 'Raced', ...body }, { 'idempotency-key': key })));

  it.each([
    ['save it', 'saved', { isDraft: true }],
    ['schedule it', 'scheduled', { scheduledFor: new Date(world.clock.now().getTime() + 3_600_000).toISOString() }],
  ])('%s once, and get the same answer', async (_case, key, fields) => {
    const replaces = await drafts({ text: 'Raced' });

    const answers = await twice({ ...fields, replaces }, `raced ${key}`);

    const [first, second] = answers.map(({ status, body }) => [status, body]);
    expect(first).toEqual([200, { results: [expect.objectContaining({ error: null })] }]);
    expect(second).toEqual(first);
    const replays = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    expect(replays).toHaveLength(1);
  });

  it('publish it once, and neither is told that the draft is gone', async () => {
    const replaces = await drafts({ text: 'Raced once' });

    const answers = await twice({ text: 'Raced once', replaces }, 'raced published');

    const outcomes = answers.map(({ status, body }) => (status === 200 ? body.results[0].status : body.error));
    expect(outcomes).toContain('sent');
    for (const outcome of outcomes) expect(['sent', 'idempotency_key_conflict']).toContain(outcome);
    expect((await world.rest('GET /posts?q=once&status=sent')).body.posts).toHaveLength(1);
  });

  it('is a conflict for the second when its body differs', async () => {
    const [draft = ''] = await drafts({ text: 'Raced' });

    const answers = await Promise.all(
      ['One', 'Other'].map((text) =>
        create({ text, isDraft: true, replaces: [draft] }, { 'idempotency-key': 'raced bodies' }),
      ),
    );

    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  });
});
