/** Facebook Pages on the hosted page: the dialog, tokens that do not expire, and the choice between Pages. */
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { destination, makeLink, type TestLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeFacebook } from '../platforms/fakes/fake-facebook.ts';

const facebook = await startFakeFacebook({ now: () => world.clock.now() });
afterAll(() => facebook.close());
const world = await startWorld({
  env: {
    META_CLIENT_ID: 'our-app',
    META_CLIENT_SECRET: 'our-secret',
    META_GRAPH_URL: facebook.url,
    META_AUTH_URL: facebook.url,
  },
});
facebook.addPage('104000000000001', 'The Bells', 'token-of-the-bells', 'thebells');
facebook.addPage('104000000000002', 'The Ropes', 'token-of-the-ropes', 'theropes');
const TASKS = ['CREATE_CONTENT', 'MODERATE'];
const BELLS = { id: '104000000000001', name: 'The Bells', access_token: 'token-of-the-bells', tasks: TASKS };
const ROPES = { id: '104000000000002', name: 'The <Ropes>', access_token: 'token-of-the-ropes', tasks: TASKS };
const READ_ONLY = { ...ROPES, tasks: ['ANALYZE'] };

beforeEach(() => {
  const { consent } = facebook.login;
  consent.signedIn = 'alice';
  consent.apps.set('our-app', {
    clientSecret: 'our-secret',
    redirectUri: `${PUBLIC_URL}/connect/callback/facebook`,
    scope: 'pages_show_list,pages_read_engagement,pages_manage_posts,pages_manage_engagement',
  });
});

/** Opens a link, agrees in the dialog, and returns; gives the browser and its next redirect. */
async function agree(link: TestLink): Promise<{ browser: Browser; location: string }> {
  const browser = openBrowser(world);
  const away = await browser.get(link.path);
  const answer = await fetch(away.location ?? '', { redirect: 'manual' });
  const back = await browser.get(answer.headers.get('location') ?? '');
  return { browser, location: back.location ?? '' };
}

describe('a person who may post to one Page', () => {
  it('connects it without a question', async () => {
    facebook.login.managed.set('alice', [BELLS, READ_ONLY]);
    const link = await makeLink(world, { platform: 'facebook' });

    const { location } = await agree(link);

    const [, query] = destination(location);
    expect(query).toMatchObject({ slug: 'facebook-thebells', platform: 'facebook' });
    const id = query['connectionId'] ?? '';
    const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
    expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
      pageId: BELLS.id,
      accessToken: 'token-of-the-bells',
    });
  });
});

describe('a Page with only one task', () => {
  it.each([
    ['CREATE_CONTENT'],
    ['MANAGE'],
    ['PROFILE_PLUS_CREATE_CONTENT'],
    ['PROFILE_PLUS_MANAGE'],
    ['PROFILE_PLUS_FULL_CONTROL'],
  ])('is connected with %s, which allows posting', async (task) => {
    facebook.login.managed.set('alice', [{ ...BELLS, tasks: [task] }]);
    const link = await makeLink(world, { platform: 'facebook' });

    const { location } = await agree(link);

    expect(destination(location)[1]).toMatchObject({ platform: 'facebook' });
  });

  it.each([['ANALYZE'], ['PROFILE_PLUS_ANALYZE'], ['PROFILE_PLUS_MODERATE']])(
    'is not offered with %s, which does not',
    async (task) => {
      facebook.login.managed.set('alice', [{ ...BELLS, tasks: [task] }]);
      const link = await makeLink(world, { platform: 'facebook' });

      const { browser, location } = await agree(link);
      const page = await browser.get(location);

      expect(page.text).toContain('Facebook shows no Page that you may post to and have allowed.');
    },
  );
});

describe('a person who may post to several Pages', () => {
  it('picks one', async () => {
    facebook.login.managed.set('alice', [BELLS, ROPES]);
    const link = await makeLink(world, { platform: 'facebook' });

    const { browser, location } = await agree(link);
    const choice = await browser.get(location);
    const end = await browser.press(choice, 'The &lt;Ropes&gt;');

    expect(choice.text).toContain('>The Bells</button>');
    expect(destination(end.location)[1]).toMatchObject({ slug: 'facebook-theropes', platform: 'facebook' });
  });

  it('can pick each of hundreds, which Facebook lists a hundred at a time', async () => {
    const others = Array.from({ length: 250 }, (_, index) => ({ ...BELLS, id: `1050${index}`, name: `Page ${index}` }));
    facebook.login.managed.set('alice', [...others, ROPES]);
    const link = await makeLink(world, { platform: 'facebook' });

    const { browser, location } = await agree(link);
    const choice = await browser.get(location);
    const end = await browser.press(choice, 'The &lt;Ropes&gt;');

    expect(choice.text).toContain('>Page 249</button>');
    expect(destination(end.location)[1]).toMatchObject({ platform: 'facebook' });
  });

  it('cannot pick a Page that was not offered', async () => {
    facebook.login.managed.set('alice', [BELLS, ROPES]);
    const link = await makeLink(world, { platform: 'facebook' });
    const { browser, location } = await agree(link);

    const answers = [];
    for (const account of ['2', '-1', '0.5', 'length', '']) {
      answers.push(await browser.post(`${location}/choose`, { account }));
    }

    expect(answers.map((answer) => answer.location)).toEqual(answers.map(() => location));
    expect(await link.read()).toMatchObject({ status: 'pending' });
  });

  it('sees why the picked Page is refused', async () => {
    facebook.login.managed.set('alice', [BELLS, { ...ROPES, access_token: 'revoked' }]);
    const link = await makeLink(world, { platform: 'facebook' });
    const { browser, location } = await agree(link);

    const refused = await browser.press(await browser.get(location), 'The &lt;Ropes&gt;');
    const page = await browser.get(refused.location ?? '');
    const end = await browser.press(page, 'Cancel');

    expect(page.text).toContain('Facebook does not accept this credential: Malformed access token …');
    expect(destination(end.location)[1]).toMatchObject({ error: 'connect_failed' });
  });
});

describe('a refusal', () => {
  it.each([
    ['a person without a Page', () => facebook.login.managed.set('alice', [READ_ONLY]), 'Facebook shows no Page'],
    [
      'a wrong app secret',
      () => facebook.login.consent.apps.set('our-app', { ...app(), clientSecret: 'another' }),
      'HTTP 400',
    ],
  ])('of %s is shown, with a way to retry', async (_case, arrange, message) => {
    arrange();
    const link = await makeLink(world, { platform: 'facebook' });

    const { browser, location } = await agree(link);
    const page = await browser.get(location);

    expect(location).toBe(`/connect/session/${link.sessionId}`);
    expect(page.text).toContain(message);
    expect(page.text).not.toContain('our-secret');
    expect(page.text).toMatch(/>\s*Connect\s*<\/button>/);
  });

  it('in the dialog ends the session as cancelled', async () => {
    facebook.login.consent.signedIn = null;
    const link = await makeLink(world, { platform: 'facebook' });

    const { location } = await agree(link);

    expect(destination(location)[1]).toMatchObject({ error: 'cancelled' });
  });
});

function app() {
  const found = facebook.login.consent.apps.get('our-app');
  if (found === undefined) throw new Error('there is no app');
  return found;
}
