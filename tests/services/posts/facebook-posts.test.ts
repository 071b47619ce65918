/** Facebook posts through the REST API: a repeat that Facebook refuses as a duplicate, while the first send may be up. */
import { afterAll, beforeEach, expect, it } from 'vitest';
import { makePost } from '../../harness/posts.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeFacebook } from '../../platforms/fakes/fake-facebook.ts';
import type { Fault } from '../../platforms/fakes/wire.ts';

const DUPLICATE = { code: 506, message: '(#506) Duplicate status message' };

/** How many of the next lists of posts are lost. */
let listsLost = 0;
const facebook = await startFakeFacebook({
  now: () => world.clock.now(),
  tap: async (moment, { method, path }) => {
    if (moment !== 'arrived' || method !== 'GET' || !path.endsWith('/published_posts') || listsLost === 0) return;
    listsLost -= 1;
    return 'lost';
  },
});
afterAll(() => facebook.close());
const world = await startWorld({ env: { META_GRAPH_URL: facebook.url } });
const PAGE = { pageId: '104000000000001', accessToken: 'token-of-bells' };
facebook.addPage(PAGE.pageId, 'The Bells', PAGE.accessToken);
await world.rest('POST /connections', { body: { platformId: 'facebook', slug: 'page', credentials: PAGE } });

beforeEach(() => {
  listsLost = 0;
});

/** A post whose answer was lost, while Facebook did not list the posts of the Page. */
async function withUnknownOutcome(text: string, fault: Fault): Promise<string> {
  facebook.faults.push(fault);
  listsLost = 1;
  const { postId, error } = await makePost(world, 'page', { text });
  world.clock.advance(60_000);
  expect([error?.code, listsLost]).toEqual(['outcome_unknown', 0]);
  return postId;
}

/** Sends the post again. Facebook refuses it as a duplicate. @param lost how many searches get no answer */
async function force(postId: string, lost: number) {
  facebook.faults.push(DUPLICATE);
  listsLost = lost;
  await world.rest(`POST /posts/${postId}/retry`, { body: { force: true } });
  const { status, platformPostId, error } = (await world.rest(`GET /posts/${postId}`)).body.post;
  return { status, platformPostId, code: error?.code ?? null, message: error?.message ?? null };
}

it('a refused duplicate of which Facebook does not show the post leaves the outcome unknown', async () => {
  const postId = await withUnknownOutcome('up, unseen', 'drops_after');

  const { status, code, message } = await force(postId, 4);

  expect([status, code]).toEqual(['failed', 'outcome_unknown']);
  expect(message).toContain('Facebook refused a duplicate and did not show of which post');
});

it('a refused duplicate whose post Facebook shows is that post', async () => {
  const postId = await withUnknownOutcome('up, seen later', 'drops_after');

  const { status, platformPostId } = await force(postId, 1);

  expect([status, platformPostId]).toEqual(['sent', facebook.posts().at(-1)?.id]);
});

it('a refused duplicate of a post that is not the earlier send is refused', async () => {
  const postId = await withUnknownOutcome('not up', 'drops_before');

  const { status, code, message } = await force(postId, 0);

  expect([status, code, message]).toEqual([
    'failed',
    'platform_rejected',
    'Facebook refused: (#506) Duplicate status message',
  ]);
});
