/**
 * A lost call that arrives after its lookups is found by a retry that asks for a rewrite: the platform has the text from before
 * (docs/contract/posts.md#repeats-and-late-posts).
 */
import { afterAll, beforeEach, expect, it } from 'vitest';
import { startPolishedWorld } from '../../harness/polished-world.ts';
import { START } from '../../harness/test-clock.ts';
import { startFakeX } from '../../platforms/fakes/fake-x.ts';

const AWAY = { status: 503, json: {} };
const SEARCH = 'GET /2/users/:id/tweets';

const x = await startFakeX({ now: () => START });
afterAll(() => x.close());
const { world, model } = await startPolishedWorld({ X_API_URL: x.url });
x.addAccount('alice', 'token-of-alice');
await world.rest('POST /connections', { body: { platformId: 'x', credentials: { accessToken: 'token-of-alice' } } });

let before = 0;
beforeEach(() => {
  before = x.posts().length;
});
const published = () => x.posts().slice(before);

/** A post whose call was lost while no model answered, so that its own text was sent. */
async function lostPost(text: string): Promise<string> {
  model.answer = () => AWAY;
  x.faults.push('drops_before');
  const body = { text, connectionSlugs: ['x-alice'], rewrite: true };
  const [result] = (await world.rest('POST /posts', { body })).body.results;
  expect(result).toMatchObject({ status: 'failed', error: { code: 'platform_unavailable' } });
  return result.postId;
}

/** The lost call arrives at X now. */
const arriveAtX = (text: string) =>
  fetch(`${x.url}/2/tweets`, {
    method: 'POST',
    headers: { authorization: 'Bearer token-of-alice', 'content-type': 'application/json' },
    body: JSON.stringify({ text }),
  });

async function retry(postId: string) {
  model.asked.length = 0;
  model.answer = () => 'Polished';
  await world.rest(`POST /posts/${postId}/retry`, { body: {} });
  const { status, text, aiRewriteStatus, platformPostId } = (await world.rest(`GET /posts/${postId}`)).body.post;
  return { status, text, aiRewriteStatus, platformPostId, asked: model.asked.length };
}

it('a retry finds the text that arrived, and keeps it', async () => {
  const text = 'Helo from before';
  const postId = await lostPost(text);
  await arriveAtX(text);

  const retried = await retry(postId);

  const [only, ...others] = published();
  expect(others).toEqual([]);
  expect(retried).toEqual({ status: 'sent', text, aiRewriteStatus: 'failed', platformPostId: only?.id, asked: 0 });
});

it('a retry keeps the text while the platform does not say whether it arrived, so that the platform refuses a duplicate', async () => {
  const text = 'Helo unanswered';
  const postId = await lostPost(text);
  await arriveAtX(text);
  x.answers[SEARCH] = [AWAY];

  const retried = await retry(postId);

  const [only, ...others] = published();
  expect([others, x.answers[SEARCH]]).toEqual([[], []]);
  expect(retried).toEqual({ status: 'sent', text, aiRewriteStatus: 'failed', platformPostId: only?.id, asked: 0 });
});

it('a retry rewrites the text when it did not arrive, and a later search is for the new text', async () => {
  const postId = await lostPost('Helo never seen');

  const retried = await retry(postId);

  const [only, ...others] = published();
  expect(others).toEqual([]);
  expect(retried).toEqual({
    status: 'sent',
    text: 'Polished',
    aiRewriteStatus: 'rewritten',
    platformPostId: only?.id,
    asked: 1,
  });
  const stored = 'select generation, content_generation from posts where id = $1';
  expect(await world.sql(stored, [postId])).toEqual([{ generation: 1, content_generation: 1 }]);
});
