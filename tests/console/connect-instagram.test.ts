/**
 * Instagram on the hosted page: Facebook's dialog, and the choice between the professional accounts of a person's
 * Pages.
 */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeInstagram } from '../platforms/fakes/fake-instagram.ts';

const instagram = await startFakeInstagram({ now: () => world.clock.now() });
afterAll(() => instagram.close());
const world = await startWorld({
  env: {
    META_CLIENT_ID: 'our-app',
    META_CLIENT_SECRET: 'our-secret',
    META_GRAPH_URL: instagram.url,
    META_AUTH_URL: instagram.url,
  },
});
instagram.addAccount('17841400000000001', 'thebells', 'token-of-the-bells');
instagram.addAccount('17841400000000002', 'theropes', 'token-of-the-ropes');

const TASKS = ['CREATE_CONTENT', 'MODERATE'];
const page = (name: string, token: string, account?: string) => ({
  id: '104',
  name,
  access_token: token,
  tasks: TASKS,
  ...(account !== undefined && { instagram_business_account: { id: account, username: name.toLowerCase() } }),
});
const BELLS = page('TheBells', 'token-of-the-bells', '17841400000000001');
const ROPES = page('TheRopes', 'token-of-the-ropes', '17841400000000002');
const WITHOUT_ACCOUNT = page('No account', 'token-of-a-page');
const READ_ONLY = { ...ROPES, tasks: ['ANALYZE'] };

beforeEach(() => {
  const { consent } = instagram.login;
  consent.signedIn = 'alice';
  consent.apps.set('our-app', {
    clientSecret: 'our-secret',
    redirectUri: `${PUBLIC_URL}/connect/callback/instagram`,
    scope: 'instagram_basic,instagram_content_publish,pages_show_list,pages_read_engagement',
  });
});

/** Opens a link, agrees in the dialog, and returns; gives the browser and its next redirect. */
async function agree(
  link: TestLink,
  change: (back: URL) => void = () => undefined,
): Promise<{ browser: Browser; location: string; status: number }> {
  const browser = openBrowser(world);
  const away = await browser.get(link.path);
  const answer = await fetch(away.location ?? '', { redirect: 'manual' });
  const address = new URL(answer.headers.get('location') ?? '');
  change(address);
  const back = await browser.get(address.href);
  return { browser, location: back.location ?? '', status: back.status };
}

it('finds the account of a Page behind the first hundred', async () => {
  instagram.login.managed.set('alice', [...Array<typeof BELLS>(120).fill(WITHOUT_ACCOUNT), BELLS]);
  const link = await makeLink(world, { platform: 'instagram' });

  const { location } = await agree(link);

  expect(destination(location)[1]).toMatchObject({ platform: 'instagram' });
});

it('connects the only account of a person without a question, with the token of its Page', async () => {
  instagram.login.managed.set('alice', [WITHOUT_ACCOUNT, BELLS, READ_ONLY]);
  const link = await makeLink(world, { platform: 'instagram' });

  const { location } = await agree(link);

  const [, query] = destination(location);
  expect(query).toMatchObject({ slug: 'instagram-thebells', platform: 'instagram' });
  const id = query['connectionId'] ?? '';
  const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
  expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
    userId: '17841400000000001',
    accessToken: 'token-of-the-bells',
  });
});

it('connects the account of a Page that lists only the tasks of the New Pages Experience', async () => {
  const tasks = ['PROFILE_PLUS_CREATE_CONTENT', 'PROFILE_PLUS_MODERATE'];
  instagram.login.managed.set('alice', [
    { ...BELLS, tasks },
    { ...ROPES, tasks: ['PROFILE_PLUS_ANALYZE'] },
  ]);
  const link = await makeLink(world, { platform: 'instagram' });

  const { location } = await agree(link);

  expect(destination(location)[1]).toMatchObject({ slug: 'instagram-thebells', platform: 'instagram' });
});

it('lets a person with several accounts pick one', async () => {
  instagram.login.managed.set('alice', [BELLS, ROPES]);
  const link = await makeLink(world, { platform: 'instagram' });

  const { browser, location } = await agree(link);
  const end = await browser.press(await browser.get(location), 'theropes');

  expect(destination(end.location)[1]).toMatchObject({ slug: 'instagram-theropes', platform: 'instagram' });
});

describe('a refusal', () => {
  it('of a person without a professional account is shown, with a way to retry', async () => {
    instagram.login.managed.set('alice', [WITHOUT_ACCOUNT, READ_ONLY]);
    const link = await makeLink(world, { platform: 'instagram' });

    const { browser, location } = await agree(link);
    const shown = await browser.get(location);

    expect(location).toBe(`/connect/session/${link.sessionId}`);
    expect(shown.text).toContain('Instagram shows no professional account that you may post to and have allowed');
    expect(shown.text).toMatch(/>\s*Connect\s*<\/button>/);
  });

  it('in the dialog ends the session as cancelled', async () => {
    instagram.login.consent.signedIn = null;
    const link = await makeLink(world, { platform: 'instagram' });

    const { location } = await agree(link);

    expect(destination(location)[1]).toMatchObject({ error: 'cancelled' });
  });

  it('of a forged state connects nothing', async () => {
    instagram.login.managed.set('alice', [BELLS]);
    const link = await makeLink(world, { platform: 'instagram' });

    const { location } = await agree(link, (back) => back.searchParams.set('state', 'forged'));

    expect(location).not.toContain('connectionId');
    expect(await link.read()).toMatchObject({ status: 'pending', connectionId: null });
  });
});

it('is offered only when the operator has an app at Meta', async () => {
  await using without = await startWorld();
  const profile = await without.profile();
  const body = { redirectUrl: 'https://app.example/done', platform: 'instagram' };

  const answer = await without.rest(`POST /profiles/${profile.id}/connect`, { body });
  const { body: listed } = await world.rest('GET /platforms');

  const connects = listed.platforms.find(({ id }: { id: string }) => id === 'instagram').connect;
  expect([answer.status, answer.body.error, connects]).toEqual([400, 'invalid_request', ['credentials', 'page']]);
});
