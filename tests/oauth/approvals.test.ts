/** Agents that ask before anything goes out: the box on the consent page, and what follows from it. */
import { expect, it } from 'vitest';
import { ERROR_META_KEY } from '../../mcp/tool-results.ts';
import { OWNER_ENV } from '../harness/owner.ts';
import { startWorld } from '../harness/world.ts';
import { answered, callMcp, callTool, openConsent, redeem, registered } from './agents.ts';
import { personOf } from './people.ts';

const world = await startWorld({ env: OWNER_ENV });
const person = await personOf(world, 'owner');
const SCOPE = 'posts:read posts:write connections:read';
const BOX = /<input[^>]*id="approval"[^>]*>/;

interface Allowed {
  readonly client?: string;
  readonly scope?: string;
  readonly reach?: string;
}

/** The consent page of a client, and the access token that the answer leads to. */
async function allow(asksFirst: boolean, { client, scope = SCOPE, reach = 'account' }: Allowed = {}) {
  const clientId = client ?? (await registered(world));
  const consent = await openConsent(person.browser, { clientId, params: { scope } });
  const back = await answered(person.browser, consent, { asksFirst, reach });
  const { body } = await redeem(world, clientId, back.searchParams.get('code') ?? '');
  return { clientId, page: consent.text, access: body.access_token as string };
}

async function post(access: string) {
  const input = { text: 'From an agent', connectionSlugs: [world.sandboxSlug] };
  return (await callTool(world, access, 'create_post', input)).body.result.structuredContent.results[0];
}

async function revokeAll(clientId: string) {
  const grants = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
  for (const { id } of grants) await person.call('people.revokeGrant', { grantId: id });
}

it.each<[string, (client: string) => Promise<unknown>]>([
  ['is new to the account', async () => undefined],
  ['was allowed with the box ticked', (client) => allow(true, { client })],
  ['was allowed in test mode only', (client) => allow(false, { client, reach: 'test' })],
  ['was allowed to read only, where no question is asked', (client) => allow(false, { client, scope: 'posts:read' })],
  [
    'was allowed without the box, and with it afterwards',
    async (client) => {
      await allow(false, { client });
      await allow(true, { client });
    },
  ],
  [
    'was revoked',
    async (client) => {
      await allow(false, { client });
      await revokeAll(client);
    },
  ],
])('the box is first and ticked for a client that %s', async (_which, before) => {
  const clientId = await registered(world);
  await before(clientId);

  const { text } = await openConsent(person.browser, { clientId, params: { scope: SCOPE } });

  expect(BOX.exec(text)?.[0]).toMatch(/\bchecked\b/);
  expect(text.indexOf('id="approval"')).toBeLessThan(text.indexOf('id="reach"'));
});

it.each<[string, (client: string) => Promise<unknown>]>([
  ['without it', (client) => allow(false, { client })],
  [
    'with it and then without it',
    async (client) => {
      await allow(true, { client });
      await allow(false, { client });
      await allow(true, { client, reach: 'test' });
    },
  ],
])('the box is last and unticked for a client that was allowed to post %s', async (_how, before) => {
  const clientId = await registered(world);
  await before(clientId);

  const { text } = await openConsent(person.browser, { clientId, params: { scope: SCOPE } });

  expect(BOX.exec(text)?.[0]).not.toMatch(/\bchecked\b/);
  expect(text.indexOf('id="approval"')).toBeGreaterThan(text.indexOf('id="reach"'));
});

it('an agent that asks, and asks for more scopes, goes on to ask when the person leaves the box as it is', async () => {
  const { clientId } = await allow(true);
  const scope = `${SCOPE} analytics:read`;
  const consent = await openConsent(person.browser, { clientId, params: { scope } });

  const { location } = await person.browser.press(consent, 'Allow', { 'What it reaches': 'account' });

  const back = await person.browser.get(location ?? '');
  const code = new URL(back.location ?? '').searchParams.get('code') ?? '';
  const { body } = await redeem(world, clientId, code);
  expect((await post(body.access_token)).approval).toMatchObject({ state: 'pending' });
});

it('a client that may not post is not asked about', async () => {
  const consent = await openConsent(person.browser, {
    clientId: await registered(world),
    params: { scope: 'posts:read' },
  });

  expect(consent.text).not.toMatch(BOX);
});

it('an agent that asks gets a draft, and the post names it and the person who allowed it', async () => {
  const { access } = await allow(true);

  const result = await post(access);

  expect(result).toMatchObject({
    status: 'draft',
    approval: { state: 'pending', requestedBy: { kind: 'grant', name: 'Agent' } },
  });
  expect((await world.rest(`GET /posts/${result.postId}`)).body.post.createdBy).toEqual({
    kind: 'grant',
    id: result.approval.requestedBy.id,
    name: 'Agent',
    onBehalfOf: person.email,
  });
  const { status, body } = await person.call('approvals.approve', { postId: result.postId });
  expect([status, body.result.status]).toEqual([200, 'sent']);
});

it('an agent that need not ask posts at once, and approves nothing', async () => {
  const [asking, free] = [await allow(true), await allow(false)];
  const { postId } = await post(asking.access);

  expect((await post(free.access)).status).toBe('sent');
  for (const { access } of [asking, free]) {
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'approve_post', arguments: { postId } },
    };
    const { body } = await callMcp(world, access, message, '/mcp/x/approvals');
    expect(body.result).toMatchObject({ isError: true, _meta: { [ERROR_META_KEY]: { code: 'forbidden' } } });
  }
});

it('what a revoked agent has asked for is void, and its draft stays', async () => {
  const { access } = await allow(true);
  const { postId, approval } = await post(access);

  await person.call('people.revokeGrant', { grantId: approval.requestedBy.id });

  const { status, body } = await person.call('approvals.approve', { postId });
  expect([status, body.error]).toEqual([409, 'approval_not_pending']);
  expect((await world.rest(`GET /posts/${postId}`)).body.post).toMatchObject({
    status: 'draft',
    approval: { state: 'void', reason: 'The key or agent that asked has ended.' },
  });
});

it('editors and viewers see what waits, and decide nothing', async () => {
  const { access } = await allow(true);
  const { postId } = await post(access);

  for (const role of ['editor', 'viewer'] as const) {
    const { call } = await personOf(world, role);
    expect((await call('approvals.list', {})).body.approvals).toContainEqual(expect.objectContaining({ postId }));
    expect((await call('approvals.approve', { postId })).status).toBe(403);
    expect((await call('approvals.reject', { postId, reason: 'No.' })).status).toBe(403);
  }
});
