/** POST /posts with `replaces`: new posts take the place of drafts, all or nothing (docs/contract/posts.md#replacing-drafts). */
import { describe, expect, it } from 'vitest';
import { connectSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
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

  it('keeps the images, also those that the new post no longer names', async () => {
    const raw = await noise(10, 10).png().toBuffer();
    const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
    const [draft] = await drafts({ text: 'With an image', mediaIds: [body.media.id] });

    await drafts({ text: 'Without', replaces: [draft] });

    expect((await world.rest(`GET /media/${body.media.id}`)).status).toBe(200);
  });
});

describe('404 not_found', () => {
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

it('one of two requests that replace the same draft at once publishes', async () => {
  const [draft] = await drafts({ text: 'Raced' });

  const answers = await Promise.all([1, 2].map(() => create({ text: 'Raced', replaces: [draft] })));

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404]);
});
