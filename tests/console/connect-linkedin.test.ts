/** LinkedIn on the hosted page: its own consent page, and the choice between the member and their pages. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeLinkedIn } from '../platforms/fakes/fake-linkedin.ts';

const APP = { clientId: 'our-app', clientSecret: 'our-secret' };
const SCOPES = 'openid profile w_member_social w_organization_social r_organization_social rw_organization_admin';
const linkedin = await startFakeLinkedIn({ now: () => world.clock.now(), app: APP, givesRefreshTokens: true });
afterAll(() => linkedin.close());
const env = {
  LINKEDIN_CLIENT_ID: APP.clientId,
  LINKEDIN_CLIENT_SECRET: APP.clientSecret,
  LINKEDIN_API_URL: linkedin.url,
  LINKEDIN_AUTH_URL: linkedin.url,
};
const world = await startWorld({ env: { ...env, LINKEDIN_SCOPES: SCOPES } });
const withoutPages = await startWorld({ env });
const alice = linkedin.addMember('a1B2', 'Alice Bell', 'a-token-of-hers');
linkedin.addPage('2414183', 'The <Bells>', 'the-bells');

beforeEach(() => {
  linkedin.consent.signedIn = 'a1B2';
  linkedin.consent.apps.set(APP.clientId, {
    clientSecret: APP.clientSecret,
    redirectUri: `${PUBLIC_URL}/connect/callback/linkedin`,
    scope: SCOPES,
  });
  alice.roles.clear();
  alice.roles.set('2414183', 'CONTENT_ADMINISTRATOR');
  alice.roles.set('7', 'ANALYST');
});

/** Opens a link and simulates the person's decision on LinkedIn's page; returns the browser and LinkedIn's redirect. */
async function decide(link: TestLink, on = world): Promise<{ browser: Browser; back: string }> {
  const browser = openBrowser(on);
  const away = await browser.get(link.path);
  const answer = await fetch(away.location ?? '', { redirect: 'manual' });
  return { browser, back: answer.headers.get('location') ?? `${answer.status}` };
}

it('redirects to LinkedIn’s own page with a state and the scopes of the install, and without PKCE', async () => {
  const link = await makeLink(world, { platform: 'linkedin' });

  const away = await openBrowser(world).get(link.path);

  expect(destination(away.location)).toEqual([
    `${linkedin.url}/oauth/v2/authorization`,
    {
      response_type: 'code',
      client_id: APP.clientId,
      redirect_uri: `${PUBLIC_URL}/connect/callback/linkedin`,
      state: expect.stringMatching(new RegExp(`^${link.sessionId}\\.[\\w-]{43}$`)),
      scope: SCOPES,
    },
  ]);
});

describe('a member who may post as a page', () => {
  it('is offered what LinkedIn lets be read when it refuses to show another page', async () => {
    // A showcase page, which LinkedIn lists among the pages and does not show as one.
    alice.roles.set('404', 'ADMINISTRATOR');
    const { browser, back } = await decide(await makeLink(world, { platform: 'linkedin' }));

    const choice = await browser.get((await browser.get(back)).location ?? '');

    expect(choice.text.match(/>[^<]+(?=<\/button>)/gu)).toEqual(['>Alice Bell', '>The &lt;Bells&gt;', '>Cancel']);
  });

  it('is offered a page behind a hundred roles, and may post as it', async () => {
    alice.roles.clear();
    for (let id = 1; id <= 230; id += 1) alice.roles.set(String(id), 'ANALYST');
    alice.roles.set('2414183', 'ADMINISTRATOR');
    const { browser, back } = await decide(await makeLink(world, { platform: 'linkedin' }));

    const choice = await browser.get((await browser.get(back)).location ?? '');
    const end = await browser.press(choice, 'The &lt;Bells&gt;');

    expect(destination(end.location)[1]).toMatchObject({ platform: 'linkedin' });
  });

  it("picks the page, which is linked with the member's token", async () => {
    const link = await makeLink(world, { platform: 'linkedin' });
    const { browser, back } = await decide(link);

    const choice = await browser.get((await browser.get(back)).location ?? '');
    const end = await browser.press(choice, 'The &lt;Bells&gt;');

    expect(choice.text).toContain('>Alice Bell</button>');
    const [, query] = destination(end.location);
    expect(query).toMatchObject({ slug: 'linkedin-the-bells', platform: 'linkedin' });
    const id = query['connectionId'] ?? '';
    const sql = 'select credentials, follows_account_id from connections where id = $1';
    const [row] = await world.sql<{ credentials: string; follows_account_id: string }>(sql, [id]);
    expect(row?.follows_account_id).toBe('urn:li:person:a1B2');
    expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
      accessToken: [...alice.accessTokens].at(-1),
      refreshToken: 'refresh-a1B2',
      expiresAt: new Date(world.clock.now().getTime() + 5_184_000_000).toISOString(),
      organizationId: '2414183',
      grantedScopes: expect.arrayContaining(['w_member_social', 'w_organization_social']),
    });
  });

  it('picks themselves', async () => {
    const link = await makeLink(world, { platform: 'linkedin' });
    const { browser, back } = await decide(link);

    const choice = await browser.get((await browser.get(back)).location ?? '');
    const end = await browser.press(choice, 'Alice Bell');

    expect(destination(end.location)[1]).toMatchObject({ slug: 'linkedin-alice-bell', platform: 'linkedin' });
  });
});

describe('a member without a page, or an install without the scopes for pages', () => {
  it('is linked without a question', async () => {
    alice.roles.clear();
    const link = await makeLink(world, { platform: 'linkedin' });
    const { browser, back } = await decide(link);

    const end = await browser.get(back);

    expect(destination(end.location)[1]).toMatchObject({ platform: 'linkedin', profileId: link.profileId });
  });

  it('is linked without a request for pages', async () => {
    const link = await makeLink(withoutPages, { platform: 'linkedin' });
    const before = linkedin.calls['GET /rest/organizationAcls'];
    const { browser, back } = await decide(link, withoutPages);

    const end = await browser.get(back);

    expect(destination(end.location)[1]).toMatchObject({ slug: 'linkedin-alice-bell' });
    expect(linkedin.calls['GET /rest/organizationAcls']).toBe(before);
  });
});

describe('a customer who declines', () => {
  it.each(['user_cancelled_login', 'user_cancelled_authorize', 'access_denied'])(
    'ends the session as cancelled with %s',
    async (error) => {
      linkedin.consent.signedIn = null;
      const link = await makeLink(world, { platform: 'linkedin' });
      const { browser, back } = await decide(link);

      const end = await browser.get(back.replace('error=user_cancelled_authorize', `error=${error}`));

      expect(back).toContain('error=user_cancelled_authorize');
      expect(destination(end.location)[1]).toMatchObject({ error: 'cancelled' });
      expect(await link.read()).toMatchObject({ status: 'failed', error: 'cancelled' });
    },
  );
});

describe('a refusal', () => {
  it.each([
    [
      'of a scope that the app was not granted',
      (back: URL) => renamed(back, 'unauthorized_scope_error'),
      'unauthorized_scope_error',
    ],
    ['of the code', (back: URL) => back.searchParams.set('code', 'another'), 'Unable to retrieve access token'],
  ])('%s is shown, with a way to retry', async (_case, change, message) => {
    const link = await makeLink(world, { platform: 'linkedin' });
    const { browser, back } = await decide(link);
    const url = new URL(back);
    change(url);

    const { location } = await browser.get(url.href);
    const page = await browser.get(location ?? '');
    const end = await browser.press(page, 'Cancel');

    expect(page.text).toContain(message);
    expect(page.text).not.toContain('our-secret');
    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
  });

  it('of a forged state changes nothing', async () => {
    const link = await makeLink(world, { platform: 'linkedin' });
    const { browser, back } = await decide(link);
    const forged = new URL(back);
    forged.searchParams.set('state', `${link.sessionId}.${'A'.repeat(43)}`);
    const before = linkedin.calls['POST /oauth/v2/accessToken'];

    const refused = await browser.get(forged.href);

    expect([refused.status, linkedin.calls['POST /oauth/v2/accessToken']]).toEqual([400, before]);
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });
});

function renamed(back: URL, error: string): void {
  back.searchParams.delete('code');
  back.searchParams.set('error', error);
}
