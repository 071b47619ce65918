/** X on the hosted page: its own page is the only way to connect it. */
import { afterAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { plain } from '../harness/images.ts';
import { decide, destination, makeLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { startFakeX } from '../platforms/fakes/fake-x.ts';

const now = () => world.clock.now();
const APP = { clientId: 'our-app', clientSecret: 'our+secret/with=signs' };
const x = await startFakeX({ now, app: APP });
afterAll(() => x.close());
const world = await startWorld({
  env: {
    X_CLIENT_ID: APP.clientId,
    X_CLIENT_SECRET: APP.clientSecret,
    X_API_URL: x.url,
    X_AUTH_URL: x.url,
  },
});
const alice = x.addAccount('alice', 'x-token');
x.consent.apps.set(APP.clientId, {
  clientSecret: APP.clientSecret,
  redirectUri: `${PUBLIC_URL}/connect/callback/x`,
  scope: 'tweet.read tweet.write users.read media.write offline.access',
});
x.consent.signedIn = 'alice';

describe('X', () => {
  it('redirects at once when the session names it, and connects with refreshable tokens', async () => {
    const link = await makeLink(world, { platform: 'x' });
    const browser = openBrowser(world);

    const away = await browser.get(link.path);
    const end = await browser.get(await decide(away));

    expect(destination(away.location)).toEqual([
      `${x.url}/i/oauth2/authorize`,
      expect.objectContaining({
        client_id: APP.clientId,
        redirect_uri: `${PUBLIC_URL}/connect/callback/x`,
        scope: 'tweet.read tweet.write users.read media.write offline.access',
        code_challenge_method: 'S256',
      }),
    ]);
    const query = destination(end.location)[1];
    expect(query).toMatchObject({ slug: 'x-alice', platform: 'x' });
    const id = query['connectionId'] ?? '';
    const [row] = await world.sql<{ credentials: string }>('select credentials from connections where id = $1', [id]);
    expect(world.context.vault.open(row?.credentials ?? '', id)).toEqual({
      accessToken: expect.stringMatching(/^access-/),
      refreshToken: expect.stringMatching(/^refresh-/),
      expiresAt: new Date(now().getTime() + 7_200_000).toISOString(),
      grantedScopes: ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'],
    });
  });

  it('asks for a new connection for an image that the customer has not allowed, before any upload', async () => {
    alice.scope = 'tweet.read tweet.write users.read offline.access';
    const link = await makeLink(world, { platform: 'x' });
    const browser = openBrowser(world);
    await browser.get(await decide(await browser.get(link.path)));
    const raw = await plain(20, 10).png().toBuffer();
    const media = await world.rest('POST /media', { raw, headers: { 'content-type': 'image/png' } });
    const post = async (more: object) => {
      const body = { text: 'Ding', connectionSlugs: ['x-alice'], profileId: link.profileId, ...more };
      return (await world.rest('POST /posts', { body })).body.results[0];
    };

    const pictured = await post({ mediaIds: [media.body.media.id] });
    await world.advance(7_200_000);
    const renewed = await post({ mediaIds: [media.body.media.id] });

    for (const { status, error } of [pictured, renewed]) {
      expect([status, error]).toEqual([
        'failed',
        {
          code: 'reconnect_required',
          message: 'This credential does not cover images on X (media.write): connect the account again.',
        },
      ]);
    }
    expect(x.images()).toEqual([]);
    expect(await post({})).toMatchObject({ status: 'sent' });
    delete alice.scope;
  });

  it('has its own button when the customer picks', async () => {
    const link = await makeLink(world);
    const browser = openBrowser(world);

    const picks = await browser.get(link.path);
    const end = await browser.get(await decide(await browser.press(picks, 'X')));

    expect(picks.headers.get('content-security-policy')).toContain(`form-action 'self' https: ${x.url};`);
    expect(destination(end.location)[1]).toMatchObject({ platform: 'x' });
  });

  it('shows why it refused, with a way to retry and a way to cancel', async () => {
    const link = await makeLink(world, { platform: 'x' });
    const browser = openBrowser(world);
    const back = new URL(await decide(await browser.get(link.path)));
    back.searchParams.delete('code');
    back.searchParams.set('error', 'server_error');
    back.searchParams.set('error_description', '<b>Something</b> broke');

    const page = await browser.get((await browser.get(back.href)).location ?? '');
    const again = await browser.press(page, 'Connect');

    expect(page.text).toContain('X refused: &lt;b&gt;Something&lt;/b&gt; broke');
    expect(destination(again.location)[0]).toBe(`${x.url}/i/oauth2/authorize`);
  });
});
