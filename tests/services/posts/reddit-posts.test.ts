/** Reddit posts through the REST API: titles and texts, one image, several communities, and a token refresh. */
import { afterAll, expect, it } from 'vitest';
import { plain } from '../../harness/images.ts';
import { startWorld } from '../../harness/world.ts';
import { startFakeReddit } from '../../platforms/fakes/fake-reddit.ts';

const APP = { clientId: 'our-app', clientSecret: 'our-secret' };
const reddit = await startFakeReddit({ now: () => world.clock.now(), app: APP });
afterAll(() => reddit.close());
const world = await startWorld({
  env: {
    REDDIT_CLIENT_ID: APP.clientId,
    REDDIT_CLIENT_SECRET: APP.clientSecret,
    REDDIT_API_URL: reddit.url,
    REDDIT_AUTH_URL: reddit.url,
  },
});
const alice = reddit.addAccount('alice', 'token-of-alice', 'refresh-1');
for (const name of ['Bells', 'Ropes']) reddit.addCommunity(name);

const connect = (subreddit?: string) =>
  world.rest('POST /connections', {
    body: {
      platformId: 'reddit',
      credentials: {
        accessToken: 'token-of-alice',
        refreshToken: 'refresh-1',
        ...(subreddit !== undefined && { subreddit }),
      },
    },
  });
const slugs = [await connect(), await connect('bells'), await connect('r/Ropes')].map(
  ({ body }) => body.connection.slug as string,
);

async function upload(): Promise<string> {
  const raw = await plain(30, 20).webp().toBuffer();
  const { body } = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/webp' } });
  return body.media.id;
}

async function post(text: string, more: object = {}) {
  const body = { text, connectionSlugs: [slugs[1]], ...more };
  return (await world.rest('POST /posts', { body })).body.results;
}

it('a post goes to the profile and to several communities of one account, each a connection', async () => {
  const results = await post('Hear this\n\nAnd *this*', { connectionSlugs: slugs });

  expect(slugs).toEqual(['reddit-alice', 'reddit-r-bells', 'reddit-r-ropes']);
  expect(results.map(({ status }: { status: string }) => status)).toEqual(['sent', 'sent', 'sent']);
  const made = reddit.posts().map(({ subreddit, title, selftext }) => `${subreddit}: ${title}: ${selftext}`);
  expect(made.toSorted()).toEqual([
    'Bells: Hear this: And \\*this\\*',
    'Ropes: Hear this: And \\*this\\*',
    'u_alice: Hear this: And \\*this\\*',
  ]);
});

it.each([
  ['signs that are escaped', `Title\n${'*'.repeat(20_000)}`, `Title\n${'*'.repeat(20_001)}`, 40_002],
  [
    'a body of the longest size below a title',
    `${'t'.repeat(300)}\n${'n'.repeat(40_000)}`,
    `T\n${'n'.repeat(40_001)}`,
    40_001,
  ],
  ['a long first line, which the body repeats', 'n'.repeat(40_000), 'n'.repeat(40_001), 40_001],
])('takes %s exactly up to what Reddit takes', async (_name, longest, tooLong, length) => {
  const [taken] = await post(longest);
  const before = reddit.posts().length;
  const [refused] = await post(tooLong);
  const { body } = await world.rest('POST /posts/validate', { body: { text: tooLong, connectionSlugs: [slugs[1]] } });

  expect(taken).toMatchObject({ status: 'sent', error: null });
  const message = `The text has ${length} characters below the title, with the backslashes that keep signs from being read as markdown; Reddit takes at most 40000.`;
  expect(refused).toMatchObject({ status: 'failed', error: { code: 'platform_rejected', message } });
  expect(body.results[0]).toMatchObject({ length, maxLength: 40_000, error: { message } });
  expect(reddit.posts()).toHaveLength(before);
});

it('refuses the same community twice', async () => {
  const { status, body } = await connect('BELLS');

  expect([status, body.error]).toEqual([409, 'connection_conflict']);
});

it('accepts one image, of a type that Reddit accepts', async () => {
  const [result] = await post('Look', { mediaIds: [await upload()] });

  const made = reddit.posts().at(-1);
  expect([result.status, made?.kind, made?.title]).toEqual(['sent', 'image', 'Look']);
  expect(result.url).toBe(`https://www.reddit.com/r/Bells/comments/${made?.name.slice(3)}/look/`);
  expect([...reddit.uploads.values()].map(({ type }) => type)).toEqual([expect.stringMatching(/^image\/(png|jpeg)$/)]);
});

it('knows two posts with an image and the same first line apart, of which Reddit gives no ids', async () => {
  const urls: string[] = [];
  for (const body of ['red bell', 'blue bell']) {
    const [result] = await post(`New in the shop\n\n${body}`, { mediaIds: [await upload()] });
    urls.push(result.url);
  }

  const made = reddit.posts().slice(-2);
  expect(urls).toEqual(made.map(({ name }) => expect.stringContaining(`/comments/${name.slice(3)}/`)));
});

it('does not take the post before for one with the same first line that Reddit does not show', async () => {
  const [first] = await post('Twice in the shop\n\nred bell', { mediaIds: [await upload()] });
  const listing = 'GET /user/:name/submitted';
  // Without the list of before, the search finds the first post.
  reddit.answers[listing] = [{ status: 503, json: {} }];
  reddit.looksUntilMade = Infinity;

  const [second] = await post('Twice in the shop\n\nblue bell', { mediaIds: [await upload()] });

  reddit.looksUntilMade = 0;
  expect([first.status, second.status, second.url, second.error.code]).toEqual([
    'sent',
    'failed',
    null,
    'outcome_unknown',
  ]);
});

it('refuses two images before anything is sent', async () => {
  const [result] = await post('Look twice', { mediaIds: [await upload(), await upload()] });

  expect([result.status, result.postId, result.error.code]).toEqual(['failed', null, 'platform_rejected']);
  expect(result.error.message).toMatch(/2 images.*at most 1/);
});

it('refuses a first comment, which Reddit does not support', async () => {
  const [result] = await post('Hello', { firstComment: 'first' });

  expect([result.postId, result.error.code]).toEqual([null, 'shape_unsupported']);
});

it('continues after its access token has expired, and stores the new one', async () => {
  alice.accessTokens.clear();

  const [first] = await post('After the end');
  const [second] = await post('And again');

  expect([first.status, second.status, reddit.calls['POST /api/v1/access_token']]).toEqual(['sent', 'sent', 1]);
});
