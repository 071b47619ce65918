/** Reddit on the hosted page: its own consent page, the choice of where to post, and installs without an app. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeReddit } from '../platforms/fakes/fake-reddit.ts';

const APP = { clientId: 'our-app', clientSecret: 'our-secret' };
const SCOPES = 'identity submit edit read history mysubreddits';
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
const withoutApps = await startWorld();
const alice = reddit.addAccount('alice', 'a-token-of-hers');
reddit.addCommunity('Bells');

beforeEach(() => {
  reddit.consent.signedIn = 'alice';
  reddit.consent.apps.set(APP.clientId, {
    clientSecret: APP.clientSecret,
    redirectUri: `${PUBLIC_URL}/connect/callback/reddit`,
    scope: SCOPES,
  });
  alice.moderates.clear();
});

async function decide(link: TestLink): Promise<{ browser: Browser; back: string }> {
  const browser = openBrowser(world);
  const away = await browser.get(link.path);
  const answer = await fetch(away.location ?? '', { redirect: 'manual' });
  return { browser, back: answer.headers.get('location') ?? `${answer.status}` };
}

it('redirects to Reddit’s own page with a state, for refreshable tokens', async () => {
  const link = await makeLink(world, { platform: 'reddit' });

  const away = await openBrowser(world).get(link.path);

  expect(destination(away.location)).toEqual([
    `${reddit.url}/api/v1/authorize`,
    {
      response_type: 'code',
      client_id: APP.clientId,
      redirect_uri: `${PUBLIC_URL}/connect/callback/reddit`,
      state: expect.stringMatching(new RegExp(`^${link.sessionId}\\.[\\w-]{43}$`)),
      duration: 'permanent',
      scope: SCOPES,
    },
  ]);
});

it('links the account’s own profile when it moderates nothing, with tokens that post', async () => {
  const link = await makeLink(world, { platform: 'reddit' });
  const { browser, back } = await decide(link);

  const end = await browser.get(back);

  const [, query] = destination(end.location);
  expect(query).toMatchObject({ slug: 'reddit-alice', platform: 'reddit' });
  const id = query['connectionId'] ?? '';
  const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
  expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
    accessToken: [...alice.accessTokens].at(-1),
    refreshToken: [...alice.refreshTokens].at(-1),
    expiresAt: new Date(world.clock.now().getTime() + 86_400_000).toISOString(),
    username: 'alice',
    target: 'u_alice',
    grantedScopes: ['identity', 'submit', 'edit', 'read', 'history', 'mysubreddits'],
  });
  const { body } = await world.rest('POST /posts', {
    body: { text: 'From the page', connectionSlugs: ['reddit-alice'], profileId: link.profileId },
  });
  expect(body.results).toMatchObject([{ status: 'sent' }]);
  expect(reddit.posts().at(-1)).toMatchObject({ title: 'From the page', subreddit: 'u_alice' });
});

it('offers each community to a moderator of more than a hundred', async () => {
  for (let number = 1; number <= 210; number += 1) alice.moderates.add(`Bells_${number}`);
  const { browser, back } = await decide(await makeLink(world, { platform: 'reddit' }));

  const choice = await browser.get((await browser.get(back)).location ?? '');

  expect(choice.text.match(/>r\/Bells_\d+<\/button>/gu)).toHaveLength(210);
  alice.moderates.clear();
});

it('lets a moderator choose the community', async () => {
  alice.moderates.add('Bells');
  const link = await makeLink(world, { platform: 'reddit' });
  const { browser, back } = await decide(link);

  const choice = await browser.get((await browser.get(back)).location ?? '');
  const end = await browser.press(choice, 'r/Bells');

  expect(choice.text).toContain('>u/alice</button>');
  expect(choice.text).not.toContain('u_alice');
  expect(destination(end.location)[1]).toMatchObject({ slug: 'reddit-r-bells', platform: 'reddit' });
});

it('ends as cancelled when the customer declines there', async () => {
  reddit.consent.signedIn = null;
  const link = await makeLink(world, { platform: 'reddit' });
  const { browser, back } = await decide(link);

  const end = await browser.get(back);

  expect(destination(end.location)[1]).toMatchObject({ error: 'cancelled' });
});

describe('a refusal', () => {
  it.each([
    ['of the code', 'code', 'another', 'Reddit refused: the code was used before'],
    ['of the request', 'error', 'invalid_scope', 'Reddit refused: invalid_scope'],
  ])('%s is shown, with a way to retry', async (_case, name, value, message) => {
    const link = await makeLink(world, { platform: 'reddit' });
    const { browser, back } = await decide(link);
    const url = new URL(back);
    url.searchParams.delete('code');
    url.searchParams.set(name, value);

    const { location } = await browser.get(url.href);
    const page = await browser.get(location ?? '');
    const end = await browser.press(page, 'Cancel');

    expect(page.text).toContain(message);
    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
  });

  it('of a forged state changes nothing', async () => {
    const link = await makeLink(world, { platform: 'reddit' });
    const { browser, back } = await decide(link);
    const forged = new URL(back);
    forged.searchParams.set('state', `${link.sessionId}.${'A'.repeat(43)}`);

    const refused = await browser.get(forged.href);

    expect(refused.status).toBe(400);
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });
});

describe('an install without the app', () => {
  it.each(['reddit', 'linkedin'])('does not offer %s, and refuses it by name', async (platform) => {
    const profile = await withoutApps.profile();
    const link = await makeLink(withoutApps);

    const page = await openBrowser(withoutApps).get(link.path);
    const named = await withoutApps.rest(`POST /profiles/${profile.id}/connect`, {
      body: { redirectUrl: 'https://app.example.com/', platform },
    });

    expect(page.text.toLowerCase()).not.toContain(`value="${platform}"`);
    expect(page.text.toLowerCase()).toContain('value="mastodon"');
    expect([named.status, named.body.error]).toEqual([400, 'invalid_request']);
    expect(named.body.message).toContain(`"${platform}" cannot be connected on this install`);
  });
});
