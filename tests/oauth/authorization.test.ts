/** The authorization request: defaults, refusals, and the redirects to the client. */
import { beforeAll, describe, expect, it } from 'vitest';
import { openBrowser } from '../harness/browser.ts';
import { PUBLIC_URL, startWorld, type World } from '../harness/world.ts';
import {
  answered,
  authorizeUrl,
  CALLBACK,
  claimsOf,
  codeFor,
  openConsent,
  type Person,
  redeem,
  registered,
  RESOURCE,
  signIn,
} from './agents.ts';

let world: World;
let person: Person;
let clientId: string;
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
  clientId = await registered(world);
});

describe('a request', () => {
  it('without scope and resource is for the default scopes and /mcp', async () => {
    const code = await codeFor(person, { clientId, params: { scope: null, resource: null } });
    const { body } = await redeem(world, clientId, code);

    const scopes = 'connections:read posts:read posts:write analytics:read profiles:read';
    expect([body.scope, claimsOf(body.access_token)['aud']]).toEqual([scopes, RESOURCE]);
  });

  it('with unknown scopes among known ones is for the known ones', async () => {
    const params = { scope: 'openid offline_access posts:read read everything' };
    const code = await codeFor(person, { clientId, params });
    const { body } = await redeem(world, clientId, code);

    expect([body.scope, body.id_token]).toEqual(['posts:read', undefined]);
  });

  it('may redirect to any port of this machine, if the client registered this machine', async () => {
    const local = await registered(world, { redirect_uris: ['http://127.0.0.1/cb'] });
    const params = { redirect_uri: 'http://127.0.0.1:49152/cb' };
    const back = await answered(person.browser, await openConsent(person.browser, { clientId: local, params }));

    expect(back.origin).toBe('http://127.0.0.1:49152');
  });

  it.each<[string, Record<string, string | null>, string]>([
    ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
    ['for a part of the API', { resource: `${PUBLIC_URL}/api/v2/posts` }, 'invalid_target'],
    ['for scopes that there are not', { scope: 'root' }, 'invalid_scope'],
    ['for a token without a code', { response_type: 'token' }, 'invalid_request'],
    ['with prompt none', { prompt: 'none' }, 'consent_required'],
  ])('%s redirects back with an error, the state and the issuer', async (_name, params, error) => {
    const { status, location } = await person.browser.get(authorizeUrl({ clientId, params }));

    expect(status).toBe(303);
    const back = new URL(location ?? '');
    expect(`${back.origin}${back.pathname}`).toBe(CALLBACK);
    // For a token response, the answer is in the fragment.
    const answer = back.search === '' ? back.hash.slice(1) : back.search;
    const given = Object.fromEntries(new URLSearchParams(answer));
    expect(given).toMatchObject({ error, state: 'a-state', iss: PUBLIC_URL });
    expect(given).not.toHaveProperty('code');
  });

  it.each<[string, string | undefined, Record<string, string | null>]>([
    ['of an unknown client', 'unknown', {}],
    ['to an address that is not registered', undefined, { redirect_uri: 'https://evil.example/callback' }],
    ['to a longer path', undefined, { redirect_uri: `${CALLBACK}/more` }],
    ['to another port of a host', undefined, { redirect_uri: 'https://agent.example:8443/callback' }],
    ['to nowhere', undefined, { redirect_uri: 'javascript:alert(1)' }],
  ])('%s is answered by a page without a redirect', async (_name, id, params) => {
    const { status, location, text, headers } = await person.browser.get(
      authorizeUrl({ clientId: id ?? clientId, params }),
    );

    expect([status, location]).toEqual([400, null]);
    expect(text).toContain('<h1>That did not work</h1>');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('no-store');
  });

  it('with an invalid character redirects back with invalid_request', async () => {
    const { status, location } = await person.browser.get(authorizeUrl({ clientId, params: { state: 'a\0b' } }));

    expect([status, new URL(location ?? '').searchParams.get('error')]).toEqual([303, 'invalid_request']);
  });

  it('is refused for a while when one address sent too many', async () => {
    const busy = await startWorld({ env: { RATE_LIMIT_PER_MINUTE: '3' } });
    const id = await registered(busy);
    const ask = () => openBrowser(busy).get(authorizeUrl({ clientId: id }), { 'x-forwarded-for': busy.url });
    const statuses = [await ask(), await ask(), await ask(), await ask()].map(({ status }) => status);

    expect(statuses).toEqual([303, 303, 303, 429]);
    expect(await busy.sql(`select 1 from oauth_artifacts where kind = 'Interaction'`)).toHaveLength(3);
    busy.clock.advance(60_000);
    expect((await ask()).status).toBe(303);
    await busy.close();
  });

  it('escapes text from the client', async () => {
    const { text } = await openBrowser(world).get('/oauth/authorize?client_id=%3Cscript%3Ealert(1)%3C/script%3E');

    expect(text).not.toContain('<script>');
  });
});

describe('a denial', () => {
  it('redirects back with the denial and the issuer, and stores nothing', async () => {
    const consent = await openConsent(person.browser, { clientId });
    const back = await answered(person.browser, consent, { button: 'Deny' });

    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'access_denied',
      error_description: 'the owner said no',
      state: 'a-state',
      iss: PUBLIC_URL,
    });
  });
});
