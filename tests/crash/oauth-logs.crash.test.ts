/**
 * The log of a running server while an agent is granted access, works, fails and loses access: never a code, a token, a
 * cookie or a password.
 */
import { expect, it } from 'vitest';
import { signedInBrowser, EMAIL, OPERATOR, OWNER_ENV, PASSWORD } from '../harness/owner.ts';
import { type Browser, openBrowser } from '../harness/browser.ts';
import { PUBLIC_URL } from '../harness/world.ts';
import {
  answered,
  authorizeUrl,
  callTool,
  openConsent,
  postForm,
  redeem,
  refresh,
  registered,
  VERIFIER,
} from '../oauth/agents.ts';
import { ENGINE, newInstall } from './server-process.ts';

it(`contains no secret, at the most verbose level (${ENGINE})`, async () => {
  const install = await newInstall({ ...OWNER_ENV, PUBLIC_URL, LOG_LEVEL: 'trace' });
  const server = await install.start();
  const stranger = openBrowser(server);
  await stranger.press(await stranger.get('/sign-in'), 'Sign in', { Email: EMAIL, Password: 'wrong-password' });
  const browser = await signedInBrowser(server);
  const clientId = await registered(server);
  const consent = await openConsent(browser, { clientId, params: { scope: 'posts:read posts:write' } });
  const csrf = /name="csrf" value="([^"]+)"/.exec(consent.text)?.[1] ?? '';
  const code = (await answered(browser, consent)).searchParams.get('code') ?? '';
  await redeem(server, clientId, code, { code_verifier: 'w'.repeat(43) });
  const second = await answered(browser, await openConsent(browser, { clientId }));
  const { body: first } = await redeem(server, clientId, second.searchParams.get('code') ?? '');
  const { body: renewed } = await refresh(server, clientId, first.refresh_token);
  const called = await callTool(server, renewed.access_token, 'list_posts');
  const lacking = await callTool(server, renewed.access_token, 'create_post');
  const forged = `${renewed.access_token.slice(0, -8)}AAAAAAAA`;
  const refused = await callTool(server, forged, 'list_posts');
  await fetch(`${server.url}/mcp?access_token=${renewed.access_token}`, { method: 'POST', body: '{}' });
  await browser.get(authorizeUrl({ clientId, params: { redirect_uri: `https://evil.example/?code=${code}` } }));
  await postForm(server, '/oauth/revoke', { client_id: clientId, token: renewed.refresh_token });
  const ended = await callTool(server, renewed.access_token, 'list_posts');
  await server.stop();

  expect([called, lacking, refused, ended].map(({ status }) => status)).toEqual([200, 403, 401, 401]);
  const secrets = {
    PASSWORD,
    wrong: 'wrong-password',
    operator: OPERATOR,
    verifier: VERIFIER,
    csrf,
    code,
    secondCode: second.searchParams.get('code') ?? '',
    access: first.access_token,
    refreshToken: first.refresh_token,
    renewedAccess: renewed.access_token,
    renewedRefresh: renewed.refresh_token,
    signature: renewed.access_token.split('.')[2],
    ...cookiesOf(browser),
  };
  const written = server.stdout() + server.stderr();
  expect(Object.entries(secrets).filter(([, secret]) => secret.length < 8)).toEqual([]);
  expect(Object.entries(secrets).filter(([, secret]) => written.includes(secret))).toEqual([]);
  expect(server.log().filter(({ path }) => String(path).startsWith('/oauth/')).length).toBeGreaterThan(5);
});

/** Every value that one of its cookies ever had, except those that end one. */
function cookiesOf({ setCookies }: Browser): Record<string, string> {
  const values = setCookies.map((cookie) => /^[^=]+=([^;]*)/.exec(cookie)?.[1] ?? '');
  return Object.fromEntries(values.filter((value) => value !== '').map((value, index) => [`cookie ${index}`, value]));
}
