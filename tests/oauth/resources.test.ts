/** Access tokens are for one resource: those of /mcp do nothing on the API, and the other way round (RFC 8707). */
import { expect, it } from 'vitest';
import { OWNER_ENV } from '../harness/owner.ts';
import { PUBLIC_URL, startWorld } from '../harness/world.ts';
import { SCOPES } from '../../services/access/scopes.ts';
import { UNKNOWN_ID } from '../harness/expected.ts';
import { answered, callTool, openConsent, redeem, refresh, registered, RESOURCE, signIn } from './agents.ts';

const world = await startWorld({ env: OWNER_ENV });
const person = await signIn(world);
const API = `${PUBLIC_URL}/api/v2`;
const SCOPE = 'posts:read connections:read webhooks:read';

async function tokens(resource: string, reach = 'account', scope = SCOPE) {
  const clientId = await registered(world);
  const consent = await openConsent(person.browser, { clientId, params: { scope, resource } });
  const back = await answered(person.browser, consent, { reach });
  const { body } = await redeem(world, clientId, back.searchParams.get('code') ?? '', { resource });
  return { clientId, access: body.access_token as string, refreshToken: body.refresh_token as string };
}

const headersOf = (access: string) => ({ authorization: `Bearer ${access}` });
const overRest = (access: string, call: `${string} /${string}` = 'GET /connections') =>
  world.rest(call, { key: null, headers: headersOf(access) });
const overTrpc = (access: string) =>
  fetch(`${world.url}/trpc/connections.list?input=${encodeURIComponent('{}')}`, { headers: headersOf(access) });
const overMcp = (access: string) => callTool(world, access, 'list_connections');

it('a token of the API works on REST, tRPC and the event stream, and not on /mcp', async () => {
  const { access } = await tokens(API);

  expect((await overRest(access)).status).toBe(200);
  expect((await overTrpc(access)).status).toBe(200);
  const stream = await fetch(`${world.url}/api/v2/events`, { headers: headersOf(access) });
  await stream.body?.cancel();
  expect(stream.status).toBe(200);
  expect((await overMcp(access)).status).toBe(401);
});

it('a token of /mcp works there and not on the API', async () => {
  const { access } = await tokens(RESOURCE);

  expect((await overMcp(access)).status).toBe(200);
  expect((await overRest(access)).status).toBe(401);
  expect((await overTrpc(access)).status).toBe(401);
});

it('a token of the API whose signature is cut off is refused by REST, tRPC and the event stream', async () => {
  const access = (await tokens(API)).access.slice(0, -1);

  const { status, headers } = await overRest(access);

  expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer resource_metadata=/)]);
  expect((await overTrpc(access)).status).toBe(401);
  expect((await fetch(`${world.url}/api/v2/events`, { headers: headersOf(access) })).status).toBe(401);
});

it('a token of the API keeps its resource when it is renewed', async () => {
  const { clientId, refreshToken } = await tokens(API);

  const { body } = await refresh(world, clientId, refreshToken);

  expect((await overRest(body.access_token)).status).toBe(200);
  expect((await overMcp(body.access_token)).status).toBe(401);
});

it('a token of the API has the scopes and the profile that the person chose, and no more', async () => {
  const profile = await world.profile('Grace');
  const [whole, narrow] = [await tokens(API), await tokens(API, profile.id)];

  expect((await overRest(whole.access, 'GET /posts')).status).toBe(200);
  expect((await overRest(whole.access, 'DELETE /webhooks/01a2008d-77e8-70cd-b094-aa362c7ab259')).status).toBe(403);
  expect((await overRest(narrow.access)).body.connections).toEqual([]);
  expect((await overRest(narrow.access, 'GET /account')).status).toBe(403);
});

const { body: document } = await world.rest('GET /openapi.json', { key: null });
/** Each read of the document, as a call, with the scopes of which an access token needs one; null for none. */
const reads = Object.entries<{ get?: { security: Record<string, string[]>[] } }>(document.paths).flatMap(
  ([path, { get }]) => {
    if (get === undefined || get.security.length === 0 || path === '/events') return [];
    const scopes = get.security.flatMap(({ accessToken }) => accessToken ?? []);
    const call = `GET ${path.replace('{kind}', 'archive').replaceAll(/\{\w+\}/g, UNKNOWN_ID)}` as `GET /${string}`;
    return [{ call, scopes }];
  },
);

it('the document says which operations take a token, and which scope they need', async () => {
  const whole = await tokens(API, 'account', Object.keys(SCOPES).join(' '));
  const narrow = await tokens(API, 'account', 'posts:read');
  const isTaken = async ({ access }: typeof whole, call: `${string} /${string}`) =>
    !(await overRest(access, call)).body?.message?.includes('access token');

  const actual = [];
  for (const { call } of reads) {
    actual.push({ call, whole: await isTaken(whole, call), narrow: await isTaken(narrow, call) });
  }

  expect(actual).toEqual(
    reads.map(({ call, scopes }) => ({ call, whole: scopes.length > 0, narrow: scopes.includes('posts:read') })),
  );
});

it('requests of a token are counted, and end with its grant', async () => {
  const { access, clientId, refreshToken } = await tokens(API);
  const before = await overRest(access);
  expect(before.headers.get('x-ratelimit-limit')).not.toBeNull();

  await fetch(`${world.url}/oauth/revoke`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ token: refreshToken, client_id: clientId }).toString(),
  });

  expect((await overRest(access)).status).toBe(401);
});

it('a request without a credential is referred to the metadata of the API', async () => {
  const { status, headers } = await world.rest('GET /connections', { key: null });
  const metadata = /^Bearer resource_metadata="([^"]+)"$/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? '';

  expect(status).toBe(401);
  expect(metadata).toBe(`${PUBLIC_URL}/.well-known/oauth-protected-resource/api/v2`);
  const document = await fetch(world.url + new URL(metadata).pathname);
  expect(await document.json()).toMatchObject({ resource: API, authorization_servers: [PUBLIC_URL] });
});

it('the consent page says what the API means', async () => {
  const clientId = await registered(world);
  const pages = await Promise.all(
    [API, RESOURCE].map((resource) => openConsent(person.browser, { clientId, params: { scope: SCOPE, resource } })),
  );

  const note = 'It asks for the API, where it is not asked again before a call.';
  expect(pages.map(({ text }) => text.includes(note))).toEqual([true, false]);
});

it('no other resource is known', async () => {
  const clientId = await registered(world);

  const consent = await openConsent(person.browser, {
    clientId,
    params: { scope: SCOPE, resource: `${PUBLIC_URL}/elsewhere` },
  }).catch(() => null);

  expect(consent?.text ?? '').not.toContain('Allow');
});
