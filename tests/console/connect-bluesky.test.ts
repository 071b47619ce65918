/**
 * Bluesky accounts that are linked over the page of their own server: a pushed authorization request, PKCE, and
 * key-bound tokens.
 */
import { request } from 'node:http';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type Browser, type BrowserPage, openBrowser } from '../harness/browser.ts';
import { destination, makeLink } from '../harness/connect-links.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import { startFakeBluesky } from '../platforms/fakes/fake-bluesky.ts';

const HTTPS = 'https://bells.example';
const BUTTON = 'Continue to your server';
const HOUR = 3_600_000;

const now = () => world.clock.now();
const server = await startFakeBluesky({ now });
afterAll(() => server.close());
const env = { BLUESKY_SERVICE_URL: server.url, BLUESKY_PLC_URL: server.url };
const world = await startWorld({ env });
const published = await startWorld({ env: { ...env, PUBLIC_URL: HTTPS } });
const alice = server.addAccount('alice.test', 'app-password');

beforeEach(() => {
  server.oauth.signedIn = alice.did;
  server.oauth.keptElsewhere = null;
});

/** Starts the redirect to the server's page and returns it. */
async function leave(browser: Browser, path: string): Promise<BrowserPage> {
  return browser.press(await browser.get(path), BUTTON);
}

/** Simulates the user's decision there; returns the path to which the browser is redirected. */
async function decide(page: BrowserPage): Promise<string> {
  const answer = await fetch(page.location ?? '', { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  return back.pathname + back.search;
}

/** Links an account; returns the final redirect. */
async function agree(at: World, options: { readonly profileId?: string } = {}) {
  const link = await makeLink(at, { platform: 'bluesky' }, options);
  const browser = openBrowser(at);
  const end = await browser.get(await decide(await leave(browser, link.path)));
  return { link, browser, end, query: destination(end.location)[1] };
}

const post = async (at: World, slug: string, text: string, profileId: string) =>
  (await at.rest('POST /posts', { body: { text, connectionSlugs: [slug], profileId } })).body.results[0];

describe('the page of the account’s own server', () => {
  it('is offered beside the app password', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });

    const { text } = await openBrowser(world).get(link.path);

    expect(text).toContain('<label for="appPassword">App password</label>');
    expect(text).toMatch(/<p class="or">or<\/p>[^]*Agree on the page of your own server\./);
  });

  it('sends a pushed request by the loopback address, with a state and PKCE', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });

    const away = await leave(openBrowser(world), link.path);

    const redirectUri = 'http://127.0.0.1:3000/connect/callback/bluesky';
    const scope = 'atproto transition:generic';
    const clientId = `http://localhost?${new URLSearchParams({ redirect_uri: redirectUri, scope }).toString()}`;
    expect(destination(away.location)).toEqual([
      `${server.url}/oauth/authorize`,
      { client_id: clientId, request_uri: expect.stringMatching(/^urn:ietf:params:oauth:request_uri:/) },
    ]);
    expect(Object.fromEntries(server.oauth.pushed.at(-1) ?? [])).toEqual({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      state: expect.stringMatching(new RegExp(`^${link.sessionId}\\.[\\w-]{43}$`)),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
  });

  it('links the approved account, which then posts, shows images and deletes', async () => {
    const { link, end, query } = await agree(world);

    expect(end.status).toBe(303);
    expect(query).toEqual({
      tab: '2',
      connectSessionId: link.sessionId,
      connectionId: expect.any(String),
      profileId: link.profileId,
      slug: 'bluesky-alice-test',
      platform: 'bluesky',
    });
    const sent = await post(world, 'bluesky-alice-test', 'with a bound token', link.profileId);
    expect(sent).toMatchObject({ status: 'sent', url: expect.stringContaining(alice.did) });
    expect(server.posts().map(({ record }) => record.text)).toEqual(['with a bound token']);
    expect((await world.rest(`DELETE /posts/${sent.postId}`)).body).toMatchObject({ status: 'deleted' });
    expect(server.posts()).toEqual([]);
  });

  it('refreshes the tokens before they expire, with the key they are bound to', async () => {
    const { link } = await agree(world);

    await world.advance(HOUR - 5 * 60_000);
    server.oauth.expire();
    await world.advance(HOUR - 5 * 60_000);

    expect(await post(world, 'bluesky-alice-test', 'two hours later', link.profileId)).toMatchObject({
      status: 'sent',
    });
  });

  it('reports on the connection when the server no longer refreshes them', async () => {
    const { query } = await agree(world);
    server.oauth.revoke();

    await world.advance(HOUR);

    const { body } = await world.rest(`GET /connections/${query['connectionId']}`);
    expect(body.connection.reconnectRequired).toEqual({
      since: now().toISOString(),
      reason: `${new URL(server.url).host} no longer renews this credential: connect the account again.`,
    });
  });

  it('keeps the credentials usable while the server cannot refresh them', async () => {
    const { link, query } = await agree(world);
    server.oauth.tokenAnswers.push({ status: 503, text: 'busy' });

    await world.advance(HOUR - 5 * 60_000);

    const { body } = await world.rest(`GET /connections/${query['connectionId']}`);
    expect(body.connection.reconnectRequired).toBeNull();
    expect(await post(world, 'bluesky-alice-test', 'meanwhile', link.profileId)).toMatchObject({ status: 'sent' });
  });

  it('replaces an app password of the same account, and keeps id, slug and queue', async () => {
    const { id: profileId } = await world.profile();
    const credentials = { identifier: 'alice.test', appPassword: 'app-password' };
    const made = await world.rest('POST /connections', {
      body: { platformId: 'bluesky', credentials, profileId, slug: 'hers' },
    });

    const { query } = await agree(world, { profileId });

    expect(query).toMatchObject({ connectionId: made.body.connection.id, slug: 'hers' });
    alice.appPasswords.clear();
    expect(await post(world, 'hers', 'without a password', profileId)).toMatchObject({ status: 'sent' });
    alice.appPasswords.add('app-password');
  });
});

describe('a flow with another outcome', () => {
  it('is cancelled when the customer declines on the server’s page', async () => {
    server.oauth.signedIn = null;

    const { link, query } = await agree(world);

    expect(query).toEqual({ tab: '2', connectSessionId: link.sessionId, error: 'cancelled' });
  });

  it('refuses an account that another server hosts', async () => {
    const other = await startFakeBluesky({ now });
    server.oauth.keptElsewhere = other.url;

    const { link, browser, end } = await agree(world);
    const page = await browser.get(end.location ?? '');

    await other.close();
    expect(page.text).toContain(`The account alice.test is not of ${new URL(server.url).host}.`);
    expect(await link.read()).toMatchObject({ status: 'pending', connectionId: null });
  });

  it('refuses an answer from another issuer', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));

    const end = await browser.get(
      back.replace(encodeURIComponent(server.url), encodeURIComponent('https://evil.test')),
    );

    expect((await browser.get(end.location ?? '')).text).toContain('did not answer as expected');
    expect(await link.read()).toMatchObject({ status: 'pending', connectionId: null });
  });

  it('rejects a forged state', async () => {
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);
    const back = await decide(await leave(browser, link.path));

    const end = await browser.get(back.replace(/state=[^&]+/, `state=${link.sessionId}.forged`));

    expect(end.status).toBe(400);
    expect(await link.read()).toMatchObject({ status: 'pending', connectionId: null });
  });

  it.each([
    ['of another kind', () => undefined],
    ['that shows the same page everywhere', () => ({ status: 200, text: '<h1>Welcome</h1>' })],
  ])('says when a server %s has no such page', async (_kind, answer) => {
    const plain = await startFakeBluesky({ now });
    plain.oauth.answer = answer;
    const link = await makeLink(world, { platform: 'bluesky' });
    const browser = openBrowser(world);

    const end = await browser.press(await browser.get(link.path), BUTTON, { 'Server of your account': plain.url });

    await plain.close();
    expect(end.status).toBe(422);
    expect(end.text).toContain('has no page on which you could agree: use an app password.');
  });
});

describe('an install that servers can reach', () => {
  it('serves its client metadata document, with only the public half of its key', async () => {
    const { status, headers, text } = await openBrowser(published).get('/connect/client/bluesky');

    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(JSON.parse(text)).toEqual({
      client_id: `${HTTPS}/connect/client/bluesky`,
      client_name: 'Carillon',
      client_uri: HTTPS,
      application_type: 'web',
      redirect_uris: [`${HTTPS}/connect/callback/bluesky`],
      scope: 'atproto transition:generic',
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      dpop_bound_access_tokens: true,
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            x: expect.stringMatching(/^[\w-]{43}$/),
            y: expect.stringMatching(/^[\w-]{43}$/),
            kid: 'carillon-1',
            alg: 'ES256',
            use: 'sig',
          },
        ],
      },
    });
  });

  it('keeps the key, and authenticates with it on linking and on refreshing', async () => {
    const document = async () => JSON.parse((await openBrowser(published).get('/connect/client/bluesky')).text);
    const [key] = (await document()).jwks.keys;
    server.oauth.clientKeys.set(`${HTTPS}/connect/client/bluesky`, key);

    const { link, query } = await agree(published);

    expect(query).toMatchObject({ platform: 'bluesky' });
    await published.advance(HOUR);
    const { body } = await published.rest(`GET /connections/${query['connectionId']}`);
    expect(body.connection.reconnectRequired).toBeNull();
    expect(await post(published, 'bluesky-alice-test', 'by a known client', link.profileId)).toMatchObject({
      status: 'sent',
    });
    expect((await document()).jwks.keys).toEqual([key]);
  });

  it('has no document for platforms whose servers read none', async () => {
    expect((await openBrowser(published).get('/connect/client/sandbox')).status).toBe(404);
  });
});

describe('an install that servers cannot reach', () => {
  it('offers the app password alone', async () => {
    await using plain = await startWorld({ env: { ...env, PUBLIC_URL: 'http://bells.example' } });
    const link = await makeLink(plain, { platform: 'bluesky' });

    const { text } = await openBrowser(plain).get(link.path);

    expect(text).toContain('App password');
    expect(text).not.toContain(BUTTON);
  });
});

it('redirects a browser on the loopback address to the host name that has its cookie', async () => {
  const { port } = new URL(world.url);
  const path = '/connect/callback/bluesky?code=1&state=2';

  const location = await new Promise((resolve, reject) => {
    request({ port, host: '127.0.0.1', path, headers: { host: '127.0.0.1:3000' } }, (answer) => {
      answer.resume();
      resolve([answer.statusCode, answer.headers.location]);
    })
      .on('error', reject)
      .end();
  });

  expect(location).toEqual([303, `${PUBLIC_URL}${path}`]);
});
