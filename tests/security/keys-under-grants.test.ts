/**
 * Objects created under an OAuth grant or a key have its limits and end with it
 * (docs/decisions/0062-inherit-the-limits-of-a-key-or-grant.md).
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { authenticate } from '../../services/keys/authenticate.ts';
import { mintKey } from '../../services/keys/mint-key.ts';
import { makeAccount } from '../harness/accounts.ts';
import { connectSandbox } from '../harness/connections.ts';
import { listenTo } from '../harness/event-stream.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { startWorld, type World } from '../harness/world.ts';
import { callMcp, callTool, type Person, postForm, signIn, type Tokens, tokensFor } from '../oauth/agents.ts';

let world: World;
let person: Person;
let profile: { id: string };
beforeAll(async () => {
  world = await startWorld();
  person = await signIn(world);
  profile = await world.profile('A');
  await connectSandbox(world, { key: world.liveKey, slug: 'bells', profileId: profile.id });
});

const agent = (scope: string, reach = 'account') => tokensFor(world, person, { scope, reach });

/** Calls a tool of the complete toolset, with the tools for keys. */
const call = (token: string, name: string, input: object) =>
  callMcp(
    world,
    token,
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
    `/mcp/x/${name.includes('webhook') ? 'webhooks' : 'keys'}`,
  );

const mintInput = (fields: object = {}) => ({
  profileId: profile.id,
  name: 'Made by an agent',
  type: 'live',
  ...fields,
});

async function minted({ access }: Tokens, fields: object = {}) {
  const { body } = await call(access, 'mint_key', mintInput(fields));
  return body.result.structuredContent as { key: { id: string; scopes: string[] | null }; secret: string };
}

const revoke = ({ clientId, refresh }: Tokens) =>
  postForm(world, '/oauth/revoke', { client_id: clientId, token: refresh });

async function trpc(key: string, path: string): Promise<number> {
  return (await fetch(`${world.url}/trpc/${path}?input=%7B%7D`, { headers: { 'x-api-key': key } })).status;
}

describe('a key that an agent mints', () => {
  it('shows the scopes of its grant, and the grant that it ends with', async () => {
    const tokens = await agent('keys:write posts:read');
    const { key } = await minted(tokens);
    const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [
      tokens.clientId,
    ]);

    expect(key).toMatchObject({ scopes: ['posts:read', 'keys:write'], createdBy: { kind: 'grant', id: grant?.id } });
  });

  it('can do what the grant allows, and nothing else, on every interface', async () => {
    const { secret } = await minted(await agent('keys:write posts:read'));
    const post = { body: { text: 'Ding', connectionSlugs: ['bells'] }, key: secret };

    const rest = [
      (await world.rest('GET /posts', { key: secret })).status,
      (await world.rest('POST /posts', post)).status,
    ];
    const typed = [await trpc(secret, 'posts.list'), await trpc(secret, 'connections.list')];
    const tools = [
      (await callTool(world, secret, 'list_posts')).status,
      (await callTool(world, secret, 'create_post', post.body)).status,
    ];
    const stream = await world.rest('GET /events', { key: secret });

    expect({ rest, typed, tools }).toEqual({ rest: [200, 403], typed: [200, 403], tools: [200, 403] });
    expect([stream.status, stream.body.error]).toEqual([403, 'forbidden']);
    expect(await world.sql('select id from posts')).toEqual([]);
  });

  it('may have fewer scopes, and never more', async () => {
    const tokens = await agent('keys:write posts:read posts:write');
    const fewer = await minted(tokens, { scopes: ['posts:read'] });
    const more = await call(tokens.access, 'mint_key', mintInput({ scopes: ['posts:read', 'webhooks:write'] }));

    expect(fewer.key.scopes).toEqual(['posts:read']);
    expect(more.body.result.content[0].text).toContain('the caller does not have webhooks:write');
  });

  it('is in test mode when the grant is', async () => {
    const tokens = await agent('keys:write posts:write', 'test');
    const live = await call(tokens.access, 'mint_key', mintInput());
    const test = await minted(tokens, { type: 'test' });

    expect(live.body.result.content[0].text).toContain('a test key mints test keys only');
    expect((await world.rest('GET /posts', { key: test.secret })).status).toBe(403);
  });

  it('cannot be minted under a grant for one profile', async () => {
    const tokens = await agent('keys:write', profile.id);
    const { body } = await call(tokens.access, 'mint_key', mintInput());

    expect(body.result.content[0].text).toContain('forbidden');
  });

  it.each<[string, (tokens: Tokens) => Promise<unknown>]>([
    ['the agent gives its access back', revoke],
    [
      'the owner revokes it',
      async ({ clientId }) => {
        const [grant] = await world.sql<{ id: string }>('select id from oauth_grants where client_id = $1', [clientId]);
        const page = await person.browser.get('/owner/agents');
        const csrf = /name="csrf" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
        await person.browser.post(`/owner/agents/${grant?.id}/revoke`, { csrf });
      },
    ],
  ])('stops with the next request when %s', async (_name, end) => {
    const tokens = await agent('keys:write posts:read');
    const { key, secret } = await minted(tokens);
    expect((await world.rest('GET /posts', { key: secret })).status).toBe(200);

    await end(tokens);

    expect((await world.rest('GET /posts', { key: secret })).status).toBe(401);
    const { body } = await world.rest(`GET /profiles/${profile.id}/keys?includeRevoked=true&limit=100`);
    const shown = body.keys.find(({ id }: { id: string }) => id === key.id);
    expect(shown.revokedAt).toBe(world.clock.now().toISOString());
  });

  it('stops when its grant ends because nothing has used it for 90 days', async () => {
    await using own = await startWorld();
    const { id } = await own.profile('A');
    const tokens = await tokensFor(own, await signIn(own), { scope: 'keys:write posts:read' });
    const params = { name: 'mint_key', arguments: { profileId: id, name: 'Made by an agent', type: 'live' } };
    const { body } = await callMcp(
      own,
      tokens.access,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      '/mcp/x/keys',
    );
    const { secret } = body.result.structuredContent;
    own.clock.advance(91 * 86_400_000);
    expect((await own.rest('GET /posts', { key: secret })).status).toBe(200);

    await own.housekeep();

    expect((await own.rest('GET /posts', { key: secret })).status).toBe(401);
  });

  it('receives no more events once its grant is revoked', async () => {
    const tokens = await agent('keys:write webhooks:read');
    const { secret } = await minted(tokens);
    const reader = await listenTo(world, secret);

    await revoke(tokens);

    await reader.ended();
  });

  it('never outlives its grant when it is minted during the revocation', async () => {
    for (let round = 0; round < 5; round += 1) {
      const tokens = await agent('keys:write posts:read');
      await Promise.all([
        call(tokens.access, 'mint_key', mintInput()),
        revoke(tokens),
        call(tokens.access, 'mint_key', mintInput()),
      ]);
    }

    const left = await world.sql(
      `select k.id from api_keys k join oauth_grants g on g.id = k.grant_id
       where g.revoked_at is not null and k.revoked_at is null`,
    );
    expect(left).toEqual([]);
  });

  it('is not created when the grant is revoked at the same moment', async () => {
    const tokens = await agent('keys:write posts:read');
    const [grant] = await world.sql<{ id: string; account_id: string }>(
      'select id, account_id from oauth_grants where client_id = $1',
      [tokens.clientId],
    );
    const caller = {
      accountId: grant?.account_id ?? '',
      keyId: grant?.id ?? '',
      profileId: null,
      mode: 'live',
      scopes: new Set(['keys:write'] as const),
      approval: 'none',
      policyId: null,
      actor: { kind: 'oauth_client', id: tokens.clientId, name: 'Agent' },
    } as const;
    await revoke(tokens);

    const late = mintKey(world.context, caller, { profileId: profile.id, name: 'Late', type: 'live' });

    await expect(late).rejects.toMatchObject({ code: 'unauthorized' });
  });
});

describe('a webhook', () => {
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = await startReceiver(200, afterAll);
  });

  it('that an agent registers ends with the grant, and its queued deliveries fail', async () => {
    const tokens = await agent('webhooks:write webhooks:read posts:write');
    const made = await call(tokens.access, 'create_webhook', { url: receiver.url });
    const { webhook } = made.body.result.structuredContent;
    await world.rest(`POST /webhooks/${webhook.id}/test`);

    await revoke(tokens);
    await world.runDue();

    const queued = await world.sql<{ status: string }>('select status from deliveries where webhook_id = $1', [
      webhook.id,
    ]);
    expect(queued).toEqual([{ status: 'failed' }]);
    expect((await world.rest(`GET /webhooks/${webhook.id}/deliveries`)).status).toBe(404);
    expect(receiver.received).toEqual([]);
  });

  it('that a key minted by an agent registers ends with the grant too', async () => {
    const tokens = await agent('keys:write webhooks:write');
    const { secret } = await minted(tokens);
    const { body } = await world.rest('POST /webhooks', { key: secret, body: { url: receiver.url } });

    await revoke(tokens);

    expect((await world.rest(`GET /webhooks/${body.webhook.id}/deliveries`)).status).toBe(404);
  });

  it('that a profile’s key registers ends with the key, and that of an account key stays', async () => {
    const [ofProfile, ofAccount] = [await world.key({ profileId: profile.id }), await world.key()];
    const ids = [];
    for (const { secret } of [ofProfile, ofAccount]) {
      const { body } = await world.rest('POST /webhooks', { key: secret, body: { url: receiver.url } });
      ids.push(body.webhook.id);
    }
    for (const { id } of [ofProfile, ofAccount]) await world.rest(`DELETE /keys/${id}`);

    const statuses = [];
    for (const id of ids) statuses.push((await world.rest(`GET /webhooks/${id}/deliveries`)).status);
    expect(statuses).toEqual([404, 200]);
  });

  it.each([
    ['a new address', 'update_webhook', { url: 'http://127.0.0.1:9/moved' }],
    ['a new secret', 'rotate_webhook_secret', {}],
  ])('of the owner that an agent gave %s ends with the grant', async (_what, tool, fields) => {
    const tokens = await agent('webhooks:write webhooks:read posts:write');
    const { webhook } = (await world.rest('POST /webhooks', { body: { url: receiver.url } })).body;
    const { body } = await call(tokens.access, tool, { webhookId: webhook.id, ...fields });
    expect(body.result.isError).not.toBe(true);

    await revoke(tokens);

    expect((await world.rest(`GET /webhooks/${webhook.id}/deliveries`)).status).toBe(404);
  });

  it('that an agent registered ends with it, also after the owner rotated its secret', async () => {
    const tokens = await agent('webhooks:write webhooks:read posts:write');
    const made = await call(tokens.access, 'create_webhook', { url: receiver.url });
    const { id } = made.body.result.structuredContent.webhook;
    expect(await world.rest(`POST /webhooks/${id}/rotate-secret`)).toMatchObject({ status: 200 });

    await revoke(tokens);

    expect((await world.rest(`GET /webhooks/${id}/deliveries`)).status).toBe(404);
  });

  it('that an agent registered stays once the owner gave it another address', async () => {
    const tokens = await agent('webhooks:write webhooks:read posts:write');
    const made = await call(tokens.access, 'create_webhook', { url: receiver.url });
    const { id } = made.body.result.structuredContent.webhook;
    await world.rest(`PATCH /webhooks/${id}`, { body: { url: `${receiver.url}/own` } });

    await revoke(tokens);

    expect((await world.rest(`GET /webhooks/${id}/deliveries`)).status).toBe(200);
  });
});

describe('a calendar', () => {
  it('that a profile’s key renews ends with that key', async () => {
    const renewing = await world.key({ profileId: profile.id });
    const made = await world.rest('POST /calendars', { body: { name: 'Bells', profileId: profile.id } });
    const renewed = await world.rest(`POST /calendars/${made.body.calendar.id}/renew`, { key: renewing.secret });
    const { url } = renewed.body.calendar;
    const read = async () => (await fetch(`${world.url}${new URL(url).pathname}`)).status;
    expect(await read()).toBe(200);

    await world.rest(`DELETE /keys/${renewing.id}`);

    expect(await read()).toBe(404);
  });
});

describe('an account key', () => {
  // How many keys the concurrent mints above have made varies, and an account mints 20 an hour.
  beforeAll(() => world.clock.advance(3_600_000));

  const mintWith = async (key: string, fields: object = {}) => {
    const body = { name: 'Customer', type: 'live', ...fields };
    const answer = await world.rest(`POST /profiles/${profile.id}/keys`, { key, body });
    expect(answer).toMatchObject({ status: 201 });
    return answer.body;
  };

  it('is replaced without the loss of the keys it minted: create, switch, revoke', async () => {
    const old = await world.key();
    const customer = await mintWith(old.secret);

    await world.rest(`DELETE /keys/${old.id}`);

    expect((await world.rest('GET /posts', { key: old.secret })).status).toBe(401);
    expect((await world.rest('GET /posts', { key: customer.secret })).status).toBe(200);
  });

  it('that leaked is revoked with every key it minted, also when it was revoked alone before', async () => {
    const leaked = await world.key();
    const customer = await mintWith(leaked.secret);
    await world.rest(`DELETE /keys/${leaked.id}`);

    const { status, body } = await world.rest(`DELETE /keys/${leaked.id}?includeMinted=true`);

    expect([status, body]).toEqual([200, { id: leaked.id, revoked: true }]);
    expect((await world.rest('GET /posts', { key: customer.secret })).status).toBe(401);
  });

  it('mints keys with scopes, which are enforced', async () => {
    const { secret, key } = await mintWith(world.liveKey, { scopes: ['posts:read', 'posts:read'] });

    expect(key.scopes).toEqual(['posts:read']);
    expect((await world.rest('GET /posts', { key: secret })).status).toBe(200);
    expect((await world.rest('GET /connections', { key: secret })).body).toMatchObject({
      error: 'forbidden',
      message: 'This key or access token lacks connections:read. Use one that has it, or ask the owner to grant it.',
    });
  });

  it('mints nothing while it is being revoked', async () => {
    const key = await world.key();
    const admission = await authenticate(world.context, key.secret);
    if (admission === null) throw new Error('the key is good');
    await world.rest(`DELETE /keys/${key.id}`);

    const late = mintKey(world.context, admission.caller, { profileId: profile.id, name: 'Late', type: 'live' });

    await expect(late).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('that is the last live one of an account without an owner stays, also when two are revoked at once', async () => {
    const account = await makeAccount(world);
    const other = await world.key({ accountId: account.id });
    const keys = (await world.rest('GET /keys', { key: account.key })).body.keys as { id: string }[];

    const answers = await Promise.all(keys.map(({ id }) => world.rest(`DELETE /keys/${id}`, { key: other.secret })));
    const [left] = await world.sql<{ count: number }>(
      'select count(*)::int as count from api_keys where account_id = $1 and revoked_at is null',
      [account.id],
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(left?.count).toBe(1);
  });
});
