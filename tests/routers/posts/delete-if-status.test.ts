/**
 * DELETE /posts/{postId}?ifStatus= deletes what the caller has seen, and nothing that it has become since
 * (docs/contract/posts.md#deleting).
 */
import { expect, it } from 'vitest';
import { accountWithSandbox } from '../../harness/connections.ts';
import { refusal } from '../../harness/expected.ts';
import { sandboxOf } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';

const world = await startWorld();

const inAMinute = () => new Date(world.clock.now().getTime() + 60_000).toISOString();

/** An account with a post, and what a request to delete it leaves. */
async function accountWithPost(fields: object) {
  const { key, connection } = await accountWithSandbox(world);
  const written = await world.rest('POST /posts', {
    key,
    body: { text: 'Ding', connectionSlugs: ['sandbox'], ...fields },
  });
  const postId: string = written.body.results[0].postId;
  const remove = async (ifStatus: string) => {
    const { status, body } = await world.rest(`DELETE /posts/${postId}?ifStatus=${ifStatus}`, { key });
    return [status, body];
  };
  const publish = (when: object) => world.rest(`POST /posts/${postId}/publish`, { key, body: when });
  const statusOf = async () => (await world.rest(`GET /posts/${postId}`, { key })).body.post?.status;
  const isUp = async () => (await sandboxOf(world, connection.id)).map(({ is_up: up }) => up);
  return { postId, remove, publish, statusOf, isUp };
}

const other = (status: string, expected: string) =>
  refusal('post_not_cancellable', `The post is ${status}, not ${expected}, so it stays as it is.`);

it('a cancel that comes after the send leaves the post up', async () => {
  const { remove, statusOf, isUp } = await accountWithPost({ scheduledFor: inAMinute() });
  await world.advance(60_000);

  const answer = await remove('scheduled');

  expect(answer).toEqual([409, other('sent', 'scheduled')]);
  expect([await statusOf(), await isUp()]).toEqual(['sent', [true]]);
});

it('a scheduled post is cancelled, and a repeat gets the same answer', async () => {
  const { postId, remove } = await accountWithPost({ scheduledFor: inAMinute() });

  const answers = [await remove('scheduled'), await remove('scheduled')];

  expect(answers).toEqual([
    [200, { id: postId, status: 'cancelled' }],
    [200, { id: postId, status: 'cancelled' }],
  ]);
});

it('a sent post is taken down, and a repeat gets the same answer', async () => {
  const { postId, remove, isUp } = await accountWithPost({});
  const deletedAt = world.clock.now().toISOString();

  const answers = [await remove('sent'), await remove('sent')];

  expect(answers).toEqual([
    [200, { id: postId, status: 'deleted', deletedAt }],
    [200, { id: postId, status: 'deleted', deletedAt }],
  ]);
  expect(await isUp()).toEqual([false]);
});

it.each([
  ['scheduled', () => ({ scheduledFor: inAMinute() })],
  ['sent', () => ({})],
])('a draft that was published and is %s is not deleted as a draft', async (status, when) => {
  const { remove, publish, statusOf } = await accountWithPost({ isDraft: true });
  await publish(when());

  const answer = await remove('draft');

  expect(answer).toEqual([409, other(status, 'draft')]);
  expect(await statusOf()).toBe(status);
});

it('a draft is removed as a draft', async () => {
  const { postId, remove, statusOf } = await accountWithPost({ isDraft: true });

  const answer = await remove('draft');

  expect(answer).toEqual([200, { id: postId, deleted: true }]);
  expect(await statusOf()).toBeUndefined();
});

it('a status that no delete is for is refused, and the post stays as it is', async () => {
  const { remove, statusOf } = await accountWithPost({ scheduledFor: inAMinute() });

  const answer = await remove('failed');

  expect(answer).toEqual([
    400,
    refusal('invalid_request', 'ifStatus: expected one of draft, scheduled, sent.', {
      details: [{ path: 'ifStatus', expected: 'one of draft, scheduled, sent', received: 'failed' }],
    }),
  ]);
  expect(await statusOf()).toBe('scheduled');
});
