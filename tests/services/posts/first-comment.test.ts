/** First comments are created right after the post. The post does not depend on them, and both are deleted together. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { NO_POST, UUID } from '../../harness/expected.ts';
import { eventsAbout } from '../../harness/posts.ts';
import { START } from '../../harness/test-clock.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeFacebook } from '../../platforms/fakes/fake-facebook.ts';

const server = await startFakeFacebook({ now: () => START });
const world = await startWorld({ env: { META_GRAPH_URL: server.url } });
afterAll(() => server.close());

server.addPage('104000000000001', 'The Bells', 'token-of-the-bells', 'thebells');
const connected = await world.rest('POST /connections', {
  body: { platformId: 'facebook', credentials: { pageId: '104000000000001', accessToken: 'token-of-the-bells' } },
});

async function post(text: string, more: object = {}) {
  const body = { text, connectionSlugs: ['facebook-thebells'], firstComment: `${text}: details`, ...more };
  return (await world.rest('POST /posts', { body })).body.results;
}

const attempts = async (postId: string) => (await world.rest(`GET /posts/${postId}/attempts`)).body.attempts;
const steps = async (postId: string): Promise<string[]> =>
  (await attempts(postId)).map(
    ({ step, index, state }: Record<string, string | number>) => `${step} ${index} ${state}`,
  );
const commentsUnder = (text: string) => {
  const head = server.posts().find(({ message }) => message === text);
  return server.comments().filter(({ postId }) => postId === head?.id);
};

const REFUSED = { code: 368, message: '(#368) Comments are blocked for now', error_user_msg: 'You can’t comment.' };

beforeEach(() => {
  server.faults.length = 0;
});

it('posts go to a Page that is connected under its username', () => {
  expect(connected.body.connection).toMatchObject({ slug: 'facebook-thebells', description: 'Facebook: thebells' });
});

describe('a first comment that succeeds', () => {
  it('is under its post, the result says so, and the ledger has a row for each', async () => {
    const [result] = await post('both up');

    const [comment] = commentsUnder('both up');
    const head = server.posts().at(-1);
    expect(result).toEqual({
      connectionSlug: 'facebook-thebells',
      status: 'sent',
      postId: UUID,
      url: `https://www.facebook.com/permalink.php?story_fbid=${head?.id}`,
      scheduledFor: null,
      threadCount: 0,
      hasFirstComment: true,
      error: null,
    });
    expect(comment?.message).toBe('both up: details');
    const common = { id: UUID, index: 0, state: 'accepted', error: null };
    const times = { startedAt: START.toISOString(), settledAt: START.toISOString() };
    expect(await attempts(result.postId)).toEqual([
      { ...common, ...times, step: 'head', platformPostId: head?.id },
      { ...common, ...times, step: 'first_comment', platformPostId: comment?.id },
    ]);
  });

  it('is created once if only its answer was lost', async () => {
    server.faults.push(undefined, 'drops_after');

    const [result] = await post('lost answer');

    expect([result.status, result.hasFirstComment]).toEqual(['sent', true]);
    expect(commentsUnder('lost answer').length).toBe(1);
  });

  it('is deleted with its post, and before it', async () => {
    const [{ postId }] = await post('short-lived');
    const parts = await attempts(postId);

    const { body } = await world.rest(`DELETE /posts/${postId}`);

    expect(body).toEqual({ id: postId, status: 'deleted', deletedAt: START.toISOString() });
    expect([server.posts().some(({ message }) => message === 'short-lived'), commentsUnder('short-lived')]).toEqual([
      false,
      [],
    ]);
    const [head, comment] = parts;
    expect((await attempts(postId)).slice(2)).toMatchObject([
      { step: 'delete', index: 1, state: 'accepted', platformPostId: comment.platformPostId },
      { step: 'delete', index: 0, state: 'accepted', platformPostId: head.platformPostId },
    ]);
  });
});

describe('a first comment that is refused', () => {
  it('leaves the post sent, with the failure in result, event and ledger', async () => {
    server.faults.push(undefined, REFUSED);

    const [result] = await post('alone');

    expect(result).toMatchObject({ status: 'sent', hasFirstComment: false, error: null });
    expect((await world.rest(`GET /posts/${result.postId}`)).body.post.status).toBe('sent');
    expect(await eventsAbout(world, result.postId)).toMatchObject([
      { name: 'post.sent', payload: { post: { status: 'sent', hasFirstComment: false, error: null } } },
    ]);
    expect((await attempts(result.postId)).slice(1)).toEqual([
      {
        id: UUID,
        step: 'first_comment',
        index: 0,
        state: 'rejected',
        startedAt: START.toISOString(),
        settledAt: START.toISOString(),
        platformPostId: null,
        error: { code: 'platform_rejected', message: 'Facebook refused: You can’t comment.' },
      },
    ]);
    expect(commentsUnder('alone')).toEqual([]);
  });

  it.each([
    ['no permission to comment', { code: 200, message: '(#200) Requires pages_manage_engagement' }, 'rejected'],
    ['a rate limit', 'rate_limited', 'unavailable'],
    ['an answer that is lost before it is stored', 'drops_before', 'unavailable'],
  ] as const)('does not fail the post either with %s', async (name, fault, state) => {
    server.faults.push(undefined, fault);

    const [result] = await post(`alone with ${name}`);

    expect([result.status, result.hasFirstComment, result.error]).toEqual(['sent', false, null]);
    expect(await steps(result.postId)).toEqual(['head 0 accepted', `first_comment 0 ${state}`]);
  });

  it('leaves one part to delete', async () => {
    server.faults.push(undefined, REFUSED);
    const [{ postId }] = await post('alone, then gone');

    await world.rest(`DELETE /posts/${postId}`);

    expect((await steps(postId)).slice(2)).toEqual(['delete 0 accepted']);
  });
});

describe('a first comment that is not attempted', () => {
  it('belongs to a post that was refused', async () => {
    server.faults.push(REFUSED);

    const [result] = await post('never out');

    expect([result.status, result.hasFirstComment, result.error.code]).toEqual(['failed', false, 'platform_rejected']);
    expect(await steps(result.postId)).toEqual(['head 0 rejected']);
  });

  it('goes to a platform without first comments: only that connection fails, and stores nothing', async () => {
    const [onFacebook, inSandbox] = await post('two kinds', {
      connectionSlugs: ['facebook-thebells', world.sandboxSlug],
    });

    expect([onFacebook.status, onFacebook.hasFirstComment]).toEqual(['sent', true]);
    expect(inSandbox).toEqual({
      connectionSlug: world.sandboxSlug,
      ...NO_POST,
      error: {
        code: 'shape_unsupported',
        message: 'Sandbox has no first comments. Leave out firstComment for this connection.',
      },
    });
  });
});

describe('a first comment that is too long', () => {
  const error = {
    code: 'platform_rejected',
    message: 'firstComment has 8001 characters; Facebook takes at most 8000.',
  };

  it('is refused before its post is made', async () => {
    const [result] = await post('too much to add', { firstComment: 'x'.repeat(8_001) });
    const [validated] = (
      await world.rest('POST /posts/validate', {
        body: { text: 'Ding', connectionSlugs: ['facebook-thebells'], firstComment: 'x'.repeat(8_001) },
      })
    ).body.results;

    expect(result).toMatchObject({ status: 'failed', postId: null, error });
    expect(validated).toMatchObject({ ok: false, error });
    expect(server.posts().some(({ message }) => message === 'too much to add')).toBe(false);
  });

  it('is not one of exactly the limit', async () => {
    const [result] = await post('just enough to add', { firstComment: '🔔'.repeat(8_000) });

    expect(result).toMatchObject({ status: 'sent', hasFirstComment: true });
  });
});

describe('a send interrupted by the end of its process', () => {
  /** Resets a sent post to the state in which a worker died. */
  const cutOff = (postId: string) =>
    world.sql(`update posts set status = 'processing', claim = gen_random_uuid(), claimed_until = $2 where id = $1`, [
      postId,
      new Date(START.getTime() - 1),
    ]);
  const lastEvent = async (postId: string) => (await eventsAbout(world, postId)).at(-1);
  const sentWithComment = { name: 'post.sent', payload: { post: { status: 'sent', hasFirstComment: true } } };

  it('between post and comment creates the comment', async () => {
    server.faults.push(undefined, REFUSED);
    const [{ postId }] = await post('cut between');
    await world.sql(`delete from attempts where post_id = $1 and step = 'first_comment'`, [postId]);
    await cutOff(postId);

    await world.runDue();

    expect(commentsUnder('cut between').length).toBe(1);
    expect(await lastEvent(postId)).toMatchObject(sentWithComment);
    expect(await steps(postId)).toEqual(['head 0 accepted', 'first_comment 0 accepted']);
  });

  it('during the comment adopts the published one', async () => {
    const [{ postId }] = await post('cut during');
    await world.sql(
      `update attempts set state = 'sending', settled_at = null, platform_post_id = null where post_id = $1 and step = 'first_comment'`,
      [postId],
    );
    await cutOff(postId);

    await world.runDue();

    expect(commentsUnder('cut during').length).toBe(1);
    expect(await lastEvent(postId)).toMatchObject(sentWithComment);
    expect(await steps(postId)).toEqual(['head 0 accepted', 'first_comment 0 accepted']);
  });
});
