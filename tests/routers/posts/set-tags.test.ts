/** PUT /posts/{postId}/tags replaces the tags of a post in any status (docs/contract/posts.md#tags). */
import { describe, expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { refusal, UNKNOWN_ID } from '../../harness/expected.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();
const { key } = await accountWithSandbox(world);

async function write(text: string, fields: object = {}): Promise<string> {
  const body = { text, connectionSlugs: ['sandbox'], tags: ['kept', 'old'], ...fields };
  return (await world.rest('POST /posts', { key, body })).body.results[0].postId;
}

const setTags = (postId: string, tags: unknown) => world.rest(`PUT /posts/${postId}/tags`, { key, body: { tags } });
const tagged = async (tag: string) => {
  const { body } = await world.rest(`GET /posts?tag=${tag}`, { key });
  return body.posts.map(({ id }: { id: string }) => id);
};
const remove = async (id: string) => {
  await world.rest(`DELETE /posts/${id}`, { key });
  return id;
};

const IN_A_WEEK = { scheduledFor: new Date(world.clock.now().getTime() + 7 * 86_400_000).toISOString() };

const IN_STATUS: Readonly<Record<string, () => Promise<string>>> = {
  draft: () => write('Draft', { isDraft: true }),
  scheduled: () => write('Waits', IN_A_WEEK),
  sent: () => write('Sent'),
  failed: () => write('[[reject]]'),
  cancelled: async () => remove(await write('Cancelled', IN_A_WEEK)),
  deleted: async () => remove(await write('Taken down')),
};

describe('200', () => {
  it.each(Object.entries(IN_STATUS))('replaces the tags of a %s post, and nothing else', async (status, make) => {
    const postId = await make();
    const before = (await world.rest(`GET /posts/${postId}`, { key })).body.post;
    const events = await eventsAbout(world, postId);

    const answer = await setTags(postId, [` ${status}-New `, 'kept', 'KEPT']);

    const after = (await world.rest(`GET /posts/${postId}`, { key })).body.post;
    expect(before.status).toBe(status);
    expect(after).toEqual({ ...before, tags: [`${status}-new`, 'kept'] });
    expect(answer).toMatchObject({ status: 200 });
    expect(after).toMatchObject(answer.body.post);
    expect([await tagged(`${status}-new`), await tagged('old'), (await tagged('kept')).includes(postId)]).toEqual([
      [postId],
      [],
      true,
    ]);
    expect(await eventsAbout(world, postId)).toEqual(events);
  });

  it('removes all tags with an empty list, also when it is repeated', async () => {
    const postId = await write('Tagged', { tags: ['only-here'] });

    const answers = [await setTags(postId, []), await setTags(postId, [])];

    expect(answers.map(({ status, body }) => [status, body.post.tags])).toEqual([
      [200, []],
      [200, []],
    ]);
    expect(await tagged('only-here')).toEqual([]);
  });

  it('lists a post by exactly its tags after concurrent requests', async () => {
    const postId = await write('Contested', { tags: ['race-start'] });
    const names = Array.from({ length: 12 }, (_, index) => `race-${index}`);

    await Promise.all(names.map((name) => setTags(postId, [name])));

    const [winner] = (await world.rest(`GET /posts/${postId}`, { key })).body.post.tags;
    const listed = await Promise.all(['race-start', ...names].map(async (name) => ({ name, ids: await tagged(name) })));
    expect(listed.filter(({ ids }) => ids.length > 0)).toEqual([{ name: winner, ids: [postId] }]);
  });

  it('is recorded in the audit', async () => {
    const postId = await write('Audited');

    await setTags(postId, ['audited']);

    const { body } = await world.rest('GET /audit?operation=posts.setTags&limit=1', { key });
    expect(body.entries).toMatchObject([{ object: { type: 'post', ids: [postId] }, outcome: 'ok' }]);
  });
});

describe('400 invalid_request', () => {
  it.each([
    ['a space in a tag', ['a b']],
    ['eleven tags', Array.from({ length: 11 }, (_, index) => `t${index}`)],
    ['a tag of 41 characters', ['x'.repeat(41)]],
    ['no list', undefined],
  ])('refuses %s', async (_name, tags) => {
    const postId = await write('Kept as it is', { isDraft: true });

    const { status, body } = await setTags(postId, tags);

    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect((await world.rest(`GET /posts/${postId}`, { key })).body.post.tags).toEqual(['kept', 'old']);
  });
});

describe('404 not_found', () => {
  it('is the answer for an unknown post and for one of another account', async () => {
    const foreign = await write('Theirs');
    const { key: other } = await accountWithSandbox(world);

    const unknown = await setTags(UNKNOWN_ID, ['x']);
    const theirs = await world.rest(`PUT /posts/${foreign}/tags`, { key: other, body: { tags: ['x'] } });

    expect(unknown).toMatchObject({
      status: 404,
      body: refusal('not_found', `No post of yours has the id ${UNKNOWN_ID}.`),
    });
    expect(theirs.status).toBe(404);
    expect((await world.rest(`GET /posts/${foreign}`, { key })).body.post.tags).toEqual(['kept', 'old']);
  });
});
