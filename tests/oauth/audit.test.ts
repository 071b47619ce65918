/**
 * Audit entries about agents: grants that people gave or revoked, tokens that clients revoked, and tokens that were
 * used twice.
 */
import { beforeAll, expect, it } from 'vitest';
import { UNKNOWN_ID, UUID } from '../harness/expected.ts';
import { OPERATOR } from '../harness/owner.ts';
import { START } from '../harness/test-clock.ts';
import { startWorld, type World } from '../harness/world.ts';
import {
  answered,
  CALLBACK,
  callTool,
  codeFor,
  openConsent,
  type Person,
  postForm,
  redeem,
  refresh,
  registered,
  signIn,
  type Tokens,
  tokensFor,
} from './agents.ts';

let world: World;
let person: Person;
beforeAll(async () => {
  world = await startWorld({ env: { OPERATOR_TOKEN: OPERATOR } });
  person = await signIn(world);
});

// eslint-disable-next-line typescript/no-explicit-any -- tests compare what they read
type Entry = any;

const audit = async (search: string): Promise<Entry[]> => (await world.rest(`GET /audit?${search}`)).body.entries;

const grantOf = async ({ clientId }: Pick<Tokens, 'clientId'>): Promise<string> =>
  (await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]))[0]?.id ?? '';

const personActor = () => ({ kind: 'person', id: person.ownerId, name: `${person.ownerId}@example.com` });

const clientActor = ({ clientId }: Tokens) => ({ kind: 'oauth_client', id: clientId, name: 'Agent' });

it('consent is recorded with the person, the grant and its limits', async () => {
  const { id: profileId } = await world.profile('Bells');
  const tokens = await tokensFor(world, person, { reach: profileId });
  const grantId = await grantOf(tokens);

  expect(await audit(`objectId=${grantId}`)).toEqual([
    {
      id: UUID,
      at: START.toISOString(),
      actor: personActor(),
      surface: 'oauth',
      operation: 'oauth.grant',
      object: { type: 'oauth_grant', ids: [grantId] },
      outcome: 'ok',
      mode: 'live',
      profileId,
      requestId: UUID,
    },
  ]);
});

it('a denial is recorded, and so is consent in test mode', async () => {
  const since = world.clock.now().toISOString();
  const clientId = await registered(world);
  await answered(person.browser, await openConsent(person.browser, { clientId }), { button: 'Deny' });
  await tokensFor(world, person, { reach: 'test' });

  expect(await audit(`operation=oauth.grant&since=${since}&limit=2`)).toMatchObject([
    { actor: personActor(), outcome: 'ok', mode: 'test', profileId: null },
    { actor: personActor(), outcome: 'forbidden', mode: 'live', object: null, surface: 'oauth' },
  ]);
});

it('a grant that its person revokes is recorded once, with the request that did it', async () => {
  const owner = await signIn(world);
  const grantId = await grantOf(await tokensFor(world, owner));
  const page = await owner.browser.get('/owner/agents');
  const { headers } = await owner.browser.press(page, 'Revoke');
  await owner.browser.press(page, 'Revoke');

  const [last, ...before] = await audit(`objectId=${grantId}`);
  expect(last).toMatchObject({ surface: 'console', operation: 'oauth.revoke', outcome: 'ok' });
  expect(last).toMatchObject({ actor: { kind: 'person', id: owner.ownerId }, requestId: headers.get('x-request-id') });
  expect(before.map(({ operation }) => operation)).toEqual(['oauth.grant']);
});

it('a grant that a person who is no owner tries to revoke stays, and nothing is recorded', async () => {
  const grantId = await grantOf(await tokensFor(world, person));
  const other = await signIn(world, undefined, 'editor');
  await tokensFor(world, other);
  const csrf = /name="csrf" value="([^"]+)"/.exec((await other.browser.get('/owner/agents')).text)?.[1] ?? '';
  await other.browser.post(`/owner/agents/${grantId}/revoke`, { csrf });
  await other.browser.post(`/owner/agents/${UNKNOWN_ID}/revoke`, { csrf });

  expect((await audit(`objectId=${grantId}`)).map(({ operation }) => operation)).toEqual(['oauth.grant']);
  expect(await audit(`objectId=${UNKNOWN_ID}`)).toEqual([]);
});

it('a grant that its client revokes is recorded with the client as the actor', async () => {
  const tokens = await tokensFor(world, person);
  await postForm(world, '/oauth/revoke', { client_id: tokens.clientId, token: tokens.refresh });

  const [last, ...before] = await audit(`objectId=${await grantOf(tokens)}`);
  expect(last).toMatchObject({ surface: 'oauth', operation: 'oauth.revoke', outcome: 'ok', requestId: UUID });
  expect(last.actor).toEqual(clientActor(tokens));
  expect(before).toHaveLength(1);
});

it.each<[string, (tokens: Tokens, code: string) => Promise<unknown>]>([
  ['a code', ({ clientId }, code) => redeem(world, clientId, code)],
  ['a refresh token', ({ clientId, refresh: token }) => refresh(world, clientId, token)],
])('a grant that ends because %s was used twice is recorded as that, once', async (_name, again) => {
  const clientId = await registered(world);
  const code = await codeFor(person, { clientId });
  const { body } = await redeem(world, clientId, code);
  const tokens = { clientId, access: body.access_token, refresh: body.refresh_token };
  await refresh(world, clientId, tokens.refresh);
  world.clock.advance(11_000);
  await again(tokens, code);

  const [last, ...before] = await audit(`objectId=${await grantOf(tokens)}`);
  expect(last).toMatchObject({ surface: 'oauth', operation: 'oauth.replay', outcome: 'unauthorized', requestId: UUID });
  expect(last.actor).toEqual(clientActor(tokens));
  expect(before.map(({ operation }) => operation)).toEqual(['oauth.grant']);
});

it('each change or refused change by an agent is recorded with the agent as the actor', async () => {
  const tokens = await tokensFor(world, person, { scope: 'posts:write' });
  const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
  await callTool(world, tokens.access, 'create_post', input);
  await callTool(world, tokens.access, 'create_post', { text: '' });

  const entries = await audit(`actorId=${tokens.clientId}`);
  expect(entries.map(({ operation, outcome }) => [operation, outcome])).toEqual([
    ['posts.create', 'invalid_request'],
    ['posts.create', 'ok'],
  ]);
  expect(entries[1]).toMatchObject({ actor: clientActor(tokens), surface: 'mcp', object: { type: 'post' } });
});

it('a client that the operator updates is recorded in the accounts that have allowed it, and in no other', async () => {
  const add = async () => {
    const headers = { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ clientId: 'vouched-for', redirectUris: [CALLBACK] });
    expect((await fetch(`${world.url}/operator/oauth/clients`, { method: 'POST', headers, body })).status).toBe(200);
  };
  await add();
  expect(await audit('operation=oauth.client')).toEqual([]);
  await tokensFor(world, person, { clientId: 'vouched-for' });
  await add();

  const ids = [await grantOf({ clientId: 'vouched-for' })];
  const actor = { kind: 'operator', id: 'operator', name: 'operator' };
  expect(await audit('operation=oauth.client')).toMatchObject([
    { actor, surface: 'operator', object: { type: 'oauth_grant', ids }, outcome: 'ok', requestId: UUID },
  ]);
});

it('consent that cannot be audited does not count', async () => {
  await using broken = await startWorld();
  const owner = await signIn(broken);
  const clientId = await registered(broken);
  const consent = await openConsent(owner.browser, { clientId });
  await broken.sql('alter table audit_entries rename to audit_gone');
  const pressed = await owner.browser.press(consent, 'Allow', { 'What it reaches': 'account' });

  expect(pressed.status).toBe(500);
  expect(await broken.sql('select id from oauth_grants')).toEqual([]);
  await broken.sql('alter table audit_gone rename to audit_entries');
});
