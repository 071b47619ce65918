/** What each role may do: viewers read, editors post, owners do the rest; also with agents that they allowed. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { consoleRouter } from '../../../routers/console.ts';
import { ROLE_SCOPES } from '../../../services/access/roles.ts';
import { SCOPES } from '../../../services/access/scopes.ts';
import { EMAIL, OWNER_ENV, PASSWORD } from '../../harness/owner.ts';
import { consoleCalls } from '../../harness/console-calls.ts';
import { type ConsolePerson, personOf } from '../../oauth/people.ts';
import { startWorld } from '../../harness/world.ts';
import {
  answered,
  callMcp,
  callTool,
  claimsOf,
  openConsent,
  redeem,
  registered,
  tokensFor,
} from '../../oauth/agents.ts';

const world = await startWorld({ env: OWNER_ENV, clock: 'manual' });
const owner = await consoleCalls(world);

interface Procedure {
  readonly _def: { readonly type: 'query' | 'mutation' };
}
const procedures = Object.entries(consoleRouter._def.procedures as unknown as Record<string, Procedure>);

/** All that have rights to check. Leaving ends the person who asks. */
const names = procedures.map(([name]) => name).filter((name) => name !== 'people.leave' && !name.startsWith('public.'));
const changes = new Set(procedures.filter(([, { _def }]) => _def.type === 'mutation').map(([name]) => name));

/** The operations that a role may call. An input that fits none of them shows it: rights are checked before the input. */
async function allowedTo(role: 'owner' | 'editor' | 'viewer'): Promise<string[]> {
  const { call } = await personOf(world, role);
  const allowed = [];
  for (const name of names) {
    const { status, body } = await call(name, { unknownField: true });
    if (status !== 403) allowed.push(name);
    else expect(body).toMatchObject({ error: 'forbidden', message: expect.stringContaining(`Your role, ${role}`) });
  }
  return allowed;
}

const allowed = { owner: [] as string[], editor: [] as string[], viewer: [] as string[] };
beforeAll(async () => {
  for (const role of ['owner', 'editor', 'viewer'] as const) allowed[role] = await allowedTo(role);
});

/** What every person may change: their own sign-in, and the access that they gave to agents. */
const OWN = ['people.changePassword', 'people.endSignIn', 'people.removePasskey', 'people.revokeGrant'];

/** Mutations that change nothing. */
const CHECKS = ['posts.validate'];

describe('the role', () => {
  it('owner may call every operation', () => {
    expect(allowed.owner).toEqual(names);
  });

  it('viewer may read everything but what owners only manage, and change nothing but the own sign-in', () => {
    const reads = names.filter((name) => !changes.has(name));

    expect(reads.filter((name) => !allowed.viewer.includes(name))).toEqual([
      'simulation.clock',
      'people.listInvitations',
      'people.listScopes',
      'people.readSettings',
      'people.getDigest',
    ]);
    expect(allowed.viewer.filter((name) => changes.has(name) && !CHECKS.includes(name))).toEqual(OWN);
  });

  it('editor may do what viewers may, and change posts, their order in queues, their images, and what makes or shows posts', () => {
    const more = allowed.editor.filter((name) => !allowed.viewer.includes(name));

    expect(allowed.viewer.filter((name) => !allowed.editor.includes(name))).toEqual([]);
    expect(more).toEqual(expect.arrayContaining(['posts.create', 'posts.delete', 'posts.retry', 'media.upload']));
    expect(more.filter((name) => !/^(posts|media|calendars|imports|feeds)\./.test(name))).toEqual([
      'connections.orderQueue',
    ]);
  });

  it.each(['owner', 'editor', 'viewer'] as const)('%s is what the session names, with its scopes', async (role) => {
    const { email, call } = await personOf(world, role);

    const scopes = ROLE_SCOPES[role];
    expect(await call('people.session')).toMatchObject({
      status: 200,
      body: { email, role, scopes: scopes === null ? null : [...scopes].toSorted(byTable) },
    });
  });

  it.each(['editor', 'viewer'] as const)(
    '%s has no page of account keys, and neither creates nor revokes one',
    async (role) => {
      const { browser } = await personOf(world, role);
      const csrf = /name="csrf" value="([^"]+)"/.exec((await browser.get('/owner')).text)?.[1] ?? '';
      const key = await world.key();

      const page = await browser.get('/owner/keys');
      const created = await browser.post('/owner/keys', { csrf, name: 'K', type: 'live', password: PASSWORD });
      const revoked = await browser.post('/owner/keys/revoke', { csrf, keyId: key.id, what: 'key' });

      expect([page.status, created.status, revoked.status]).toEqual([403, 403, 403]);
      expect(page.text).toContain(`Your role, ${role}, cannot do this: only owners can. Ask an owner of the account.`);
      expect((await world.rest('GET /posts', { key: key.secret })).status).toBe(200);
    },
  );
});

function byTable(one: string, other: string): number {
  const order = Object.keys(SCOPES);
  return order.indexOf(one) - order.indexOf(other);
}

/** Calls a tool of the complete toolset. */
function callAnyTool(access: string, name: string, input: object) {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return callMcp(world, access, message, `/mcp/x/${name.includes('webhook') ? 'webhooks' : 'keys'}`);
}

/** An agent whose posts wait for approval. */
async function askingAgent({ browser }: ConsolePerson) {
  const clientId = await registered(world);
  const scope = 'posts:read posts:write connections:read';
  const consent = await openConsent(browser, { clientId, params: { scope } });
  const code = (await answered(browser, consent, { asksFirst: true })).searchParams.get('code') ?? '';
  const access: string = (await redeem(world, clientId, code)).body.access_token;
  const call = (name: string, input: object, toolset: string) => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
    return callMcp(world, access, message, `/mcp/x/${toolset}`);
  };
  const post = async () => {
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    return (await callTool(world, access, 'create_post', input)).body.result.structuredContent.results[0];
  };
  return { call, post };
}

const setRole = (person: ConsolePerson, role: string) =>
  owner('people.changeRole', { personId: person.ownerId, role, password: PASSWORD });

describe('what an owner added who gets another role', () => {
  it('goes on as editor: a feed and an import make posts with the rights of the new role', async () => {
    const person = await personOf(world, 'owner');
    const { addFeed, startImport, outcome } = await makersOf(person);
    const { id: feedId } = await addFeed();
    const { id: importId } = await startImport();

    await setRole(person, 'editor');
    await world.runDue();

    expect(await outcome(feedId, importId)).toEqual([true, ['created'], 'done', ['created']]);
  });

  it('ends as viewer, who makes no posts', async () => {
    const person = await personOf(world, 'owner');
    const { addFeed, startImport, outcome } = await makersOf(person);
    const { id: feedId } = await addFeed();
    const { id: importId } = await startImport();

    await setRole(person, 'viewer');
    await world.runDue();

    expect(await outcome(feedId, importId)).toEqual([false, [], 'cancelled', ['pending']]);
  });
});

/** How a person adds a feed with one new item, and an import with one row. */
async function makersOf({ call }: ConsolePerson) {
  const connectionSlugs = [world.sandboxSlug];
  const date = new Date(world.clock.now().getTime() + 60_000).toUTCString();
  const item = `<item><guid>1</guid><title>Ding</title><pubDate>${date}</pubDate></item>`;
  const server = createServer((_request, response) => response.end(`<rss><channel>${item}</channel></rss>`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.xml`;
  const rows = JSON.stringify([{ text: `Row of ${url}`, connectionSlugs }]);
  return {
    addFeed: async () => (await call('feeds.create', { url, connectionSlugs })).body.feed,
    startImport: async () => (await call('imports.start', { format: 'json', content: rows })).body.import,
    outcome: async (feedId: string, importId: string) => {
      const { feed, items } = (await world.rest(`GET /feeds/${feedId}`)).body;
      const { import: one, rows: results } = (await world.rest(`GET /imports/${importId}`)).body;
      const statusOf = ({ status }: { status: string }) => status;
      return [feed.enabled, items.map(statusOf), one.status, results.map(statusOf)];
    },
  };
}

describe('an agent', () => {
  it('gets at most what the role of the person allows, and the page says what is left out', async () => {
    const viewer = await personOf(world, 'viewer');
    const scope = 'posts:read posts:write keys:write';

    const clientId = await registered(world);
    const consent = await openConsent(viewer.browser, { clientId, params: { scope } });
    const tokens = await tokensFor(world, viewer, { scope });

    const words = consent.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    expect(words).toContain('Your role, viewer, cannot give it the rest of what it asks for: Publish to every');
    expect(claimsOf(tokens.access)['scope']).toBe('posts:read');
  });

  it('that asks only for what the role lacks can be denied only', async () => {
    const viewer = await personOf(world, 'viewer');
    const wish = { clientId: await registered(world), params: { scope: 'posts:write' } };

    const consent = await openConsent(viewer.browser, wish);

    expect(consent.text).not.toContain('value="allow"');
    expect((await answered(viewer.browser, consent, { button: 'Deny' })).searchParams.get('error')).toBe(
      'access_denied',
    );
  });

  it('loses what the person loses, at the next request, and gets it back with the role', async () => {
    const person = await personOf(world, 'editor');
    const { access } = await tokensFor(world, person, { scope: 'posts:read posts:write' });
    const input = { text: 'Ding', connectionSlugs: [world.sandboxSlug] };
    const isRefused = async (name: string, given = {}) =>
      (await callTool(world, access, name, given)).body.result.isError === true;
    expect(await isRefused('create_post', input)).toBe(false);

    await setRole(person, 'viewer');
    const refused = [await isRefused('create_post', input), await isRefused('list_posts')];
    await setRole(person, 'editor');

    expect([...refused, await isRefused('create_post', input)]).toEqual([true, false, false]);
  });

  it('of an owner who is none anymore loses the keys and webhooks that it created', async () => {
    const person = await personOf(world, 'owner');
    const { access } = await tokensFor(world, person, { scope: Object.keys(SCOPES).join(' ') });
    const profile = await world.profile();
    const minted = await callAnyTool(access, 'mint_key', { profileId: profile.id, name: 'K', type: 'live' });
    const { secret } = minted.body.result.structuredContent;
    await callAnyTool(access, 'create_webhook', { url: 'http://127.0.0.1:9/hook' });
    expect((await world.rest('GET /posts', { key: secret })).status).toBe(200);

    await setRole(person, 'editor');

    expect((await world.rest('GET /posts', { key: secret })).status).toBe(401);
    expect((await world.rest('GET /webhooks')).body.webhooks).toEqual([]);
  });

  it.each(['editor', 'viewer'] as const)(
    'of an owner who becomes %s keeps its requests for approval, its allowance and its calendars',
    async (role) => {
      const person = await personOf(world, 'owner');
      const agent = await askingAgent(person);
      const [allowing, waiting] = [await agent.post(), await agent.post()];
      await owner('approvals.approve', { postId: allowing.postId, next: { posts: 5 } });
      const { calendar } = (await agent.call('create_calendar', {}, 'files')).body.result.structuredContent;

      await setRole(person, role);

      const { body } = await world.rest(`GET /posts/${waiting.postId}`);
      expect([body.post.status, body.post.approval]).toEqual(['draft', waiting.approval]);
      expect((await fetch(world.url + new URL(calendar.url).pathname)).status).toBe(200);
      await setRole(person, 'editor');
      expect((await agent.post()).status).toBe('sent');
      expect((await owner('approvals.approve', { postId: waiting.postId })).body.result.status).toBe('sent');
    },
  );

  it('of a person who was removed ends, with its keys and its policy', async () => {
    const person = await personOf(world, 'owner');
    const { access } = await tokensFor(world, person, { scope: Object.keys(SCOPES).join(' ') });
    const profile = await world.profile();
    const minted = await callAnyTool(access, 'mint_key', { profileId: profile.id, name: 'K', type: 'live' });

    const [grant] = (await person.call('people.listGrants')).body.grants;
    await world.rest(`PUT /policies/${grant.id}`, { body: { postsPerDay: 3 } });

    await owner('people.remove', { personId: person.ownerId });

    expect((await callTool(world, access, 'list_posts')).status).toBe(401);
    expect((await world.rest('GET /policies')).body.policies).toEqual([]);
    expect((await world.rest('GET /posts', { key: minted.body.result.structuredContent.secret })).status).toBe(401);
    expect((await world.rest('GET /health', { key: null })).status).toBe(200);
    expect((await owner('people.session')).body.email).toBe(EMAIL);
  });
});
