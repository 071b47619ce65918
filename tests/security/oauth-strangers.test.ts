/**
 * What unknown clients can do to a visitor and to the token endpoint
 * (docs/decisions/0063-limit-unknown-clients-at-the-authorization-server.md).
 */
import { describe, expect, it } from 'vitest';
import { hasAllowedScheme } from '../../services/oauth/redirect-scheme.ts';
import { openBrowser } from '../harness/browser.ts';
import { startWorld, type World } from '../harness/world.ts';
import {
  authorizeUrl,
  CALLBACK,
  codeFor,
  openConsent,
  postForm,
  registered,
  signIn,
  tokensFor,
} from '../oauth/agents.ts';

const BAD: [string, Record<string, string | null>, string][] = [
  ['with prompt=none', { prompt: 'none' }, 'consent_required'],
  ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
  ['for scopes that there are not', { scope: 'root' }, 'invalid_scope'],
  ['for a token without a code', { response_type: 'token' }, 'invalid_request'],
];

describe('a redirect to the address of a client', () => {
  it.each(BAD)('never follows a request %s of a client that no owner has allowed', async (_name, params, error) => {
    await using world = await startWorld();
    const clientId = await registered(world);

    for (const { browser } of [{ browser: openBrowser(world) }, await signIn(world)]) {
      const { status, location, text } = await browser.get(authorizeUrl({ clientId, params }));
      expect([status, location]).toEqual([400, null]);
      expect(text).toContain('<h1>That did not work</h1>');
      expect(text).toContain(`<code>${error}</code>`);
    }
  });

  it('follows such a request of a client that an owner has allowed, or that the operator added', async () => {
    await using world = await startWorld();
    const [allowed, added] = [await registered(world), await registered(world)];
    await codeFor(await signIn(world), { clientId: allowed });
    await world.sql(`update oauth_artifacts set expires_at = null where payload->>'client_id' = $1`, [added]);

    for (const clientId of [allowed, added]) {
      const { status, location } = await openBrowser(world).get(authorizeUrl({ clientId, params: { prompt: 'none' } }));
      expect([status, location?.startsWith(`${CALLBACK}?error=consent_required`)]).toEqual([303, true]);
    }
  });

  it('follows a denial by a person who has seen its name', async () => {
    await using world = await startWorld();
    const { browser } = await signIn(world);
    const consent = await openConsent(browser, { clientId: await registered(world) });
    const pressed = await browser.press(consent, 'Deny');

    expect(pressed.location).toContain(`${CALLBACK}?error=access_denied`);
  });
});

describe('the scheme of an address', () => {
  it.each([
    'https://agent.example/cb',
    'http://localhost:1/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode://vscode.github-authentication/did-authenticate',
    'vscode-insiders://x/y',
    'com.example.app:/callback',
    'dev.zed.editor://callback',
    'io.github.agent:/cb',
  ])('may be that of %s', (uri) => {
    expect(hasAllowedScheme(uri)).toBe(true);
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'view-source:https://agent.example/',
    'ms-msdt:/id PCWDiagnostic',
    'ms-settings:privacy',
    'ms-word:ofe|u|https://evil.example/x.docx',
    'search-ms:query=x&crumb=location:\\\\evil.example',
    'microsoft-edge:https://evil.example',
    'microsoft.windows.camera:',
    'x-apple.systempreferences:com.apple.preference.security',
    'about:blank',
    'blob:https://agent.example/x',
    'vbscript:x',
    'intent://scan/#Intent;scheme=zxing;end',
    'android-app://com.example/http',
    'tel:+15550100',
    'sms:+15550100',
    'mailto:a@example.com',
    'ssh://evil.example',
    'ftp://evil.example',
    'smb://evil.example/share',
    'chrome://settings',
    'chrome-extension://abc/x',
    'resource://x',
    'jar:https://evil.example!/',
    'filesystem:https://agent.example/x',
    'ws://evil.example',
    'steam://run/1',
    'itms-services://?action=download-manifest',
    'web+agent:x',
    'agent:/cb',
    'no address',
  ])('may not be that of %s', (uri) => {
    expect(hasAllowedScheme(uri)).toBe(false);
  });

  it('is checked at each request, so that a client which registered earlier with another one is refused', async () => {
    await using world = await startWorld();
    const clientId = await registered(world);
    const redirect = 'ms-msdt:/id';
    await world.sql(
      `update oauth_artifacts set payload = jsonb_set(payload, '{redirect_uris}', $2::jsonb) where payload->>'client_id' = $1`,
      [clientId, JSON.stringify([CALLBACK, redirect])],
    );

    const { status, location } = await openBrowser(world).get(
      authorizeUrl({ clientId, params: { redirect_uri: redirect } }),
    );

    expect([status, location]).toEqual([400, null]);
  });
});

describe('token requests', () => {
  const limited = (limit: string) => startWorld({ env: { RATE_LIMIT_PER_MINUTE: limit, TRUST_PROXY: 'loopback' } });

  const guess = async (world: World, from: string) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': from };
    const body = 'grant_type=refresh_token&client_id=x&refresh_token=y';
    return fetch(`${world.url}/oauth/token`, { method: 'POST', headers, body });
  };

  it('are counted by address: one too many is a 429 with the time to retry', async () => {
    await using world = await limited('4');
    const statuses = [];
    for (let tries = 1; tries <= 4; tries += 1) statuses.push((await guess(world, `2001:db8::${tries}`)).status);

    const answer = await guess(world, '2001:db8::9');

    expect(statuses).not.toContain(429);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await answer.json()).toEqual({
      error: 'too_many_requests',
      error_description: 'more than 4 requests a minute from this address; wait for the seconds in Retry-After',
    });
    expect((await guess(world, '2001:db8:1::1')).status).not.toBe(429);
    world.clock.advance(60_000);
    expect((await guess(world, '2001:db8::9')).status).not.toBe(429);
  });

  /** Refreshes from another address with each call, so that only the count by grant can refuse. */
  const refresher = (world: World, clientId: string) => {
    let calls = 0;
    return async (token: string) => {
      calls += 1;
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': `10.0.0.${calls}` };
      const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: token };
      const body = new URLSearchParams(fields).toString();
      const response = await fetch(`${world.url}/oauth/token`, { method: 'POST', headers, body });
      return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() };
    };
  };

  it('are counted by grant once they show one of its tokens, so that invented ones use up nothing', async () => {
    await using world = await limited('6');
    const tokens = await tokensFor(world, await signIn(world));
    const show = refresher(world, tokens.clientId);
    for (let tries = 1; tries <= 10; tries += 1) await show('invented');
    // The code was the first of six.
    const good = [];
    for (let tries = 1; tries <= 5; tries += 1) good.push((await show(tokens.refresh)).status);

    const last = await show(tokens.refresh);

    expect(good).toEqual([200, 200, 200, 200, 200]);
    expect(last).toEqual({
      status: 429,
      retryAfter: '60',
      body: {
        error: 'too_many_requests',
        error_description: 'more than 6 requests a minute for this grant; wait for the seconds in Retry-After',
      },
    });
  });

  it('with a token of one person never lock out another who has allowed the same client', async () => {
    await using world = await limited('6');
    const first = await tokensFor(world, await signIn(world));
    const other = await tokensFor(world, await signIn(world), { clientId: first.clientId });
    const show = refresher(world, first.clientId);
    const statuses = [];
    for (let tries = 1; tries <= 6; tries += 1) statuses.push((await show(first.refresh)).status);

    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    expect((await show(other.refresh)).status).toBe(200);
    const later = await tokensFor(world, await signIn(world), { clientId: first.clientId });
    expect(later.refresh).toEqual(expect.any(String));
  });

  it('that revoke tokens are counted by address too', async () => {
    await using world = await limited('2');
    const give = () => postForm(world, '/oauth/revoke', { client_id: 'x', token: 'y' });
    await give();
    await give();

    expect(await give()).toMatchObject({ status: 429, body: { error: 'too_many_requests' } });
  });
});
